// Package search finds notes by what they say: a ranked, inverted index in memory, its query language, and snippets.
//
// An Index is a set of immutable segments plus a bitmap of deleted notes for each. A write makes a new small segment and publishes a
// new state; segments of like size are merged, so that a note is rewritten a logarithmic number of times. A search loads one state and
// never waits for a writer. No body is kept: phrases and snippets are checked on text that the caller's Source returns.
//
// Two decisions keep an index that grew by edits equal to one that was built afresh. Field lengths are normalised by constants, not by
// the averages of the moment, so that what a posting stores depends on its note alone. And document frequencies count living notes
// only, at query time.
//
// The package is pure: no I/O, no clock, and it builds for the browser.
package search
