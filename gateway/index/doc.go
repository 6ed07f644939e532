// Package index answers fast from what was read before, and never trusts it. Each mapping has one Index: the parsed notes of a vault as
// search postings and links, built beside serving, and revalidated on each call by the provider's change feed. It is disposable:
// deleting it costs time and nothing else.
//
// Three rules hold it together. A call sees every change that was finished before it began (Index.Revalidate). A load that began
// before a change may not store what it read over it: each path has a generation, taken before the read and compared at the store.
// What is known to have changed but is not yet read again is left out and counted, never served as it was.
package index
