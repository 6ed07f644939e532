// Package vault is the language that every room of Notelatch speaks: paths, revisions, preconditions, files, errors, callers,
// and what a note's bytes mean.
//
// It is pure: no I/O, no clock, no randomness, so that the same code runs on the server and in a browser (GOOS=js). It imports no
// other room. Parsing returns spans into the caller's bytes; edits return new bytes and leave everything outside the edit as it was.
package vault
