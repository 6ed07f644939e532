// Package txn previews and applies changes to notes. It is the only way in which a note is changed, whichever door asks.
//
// A change lands once or not at all, and says which. What makes that true is an order that every change here has to keep:
//
//  1. the idempotency key is reserved in the Journal,
//  2. the plan, with the exact result of each note, is stored there,
//  3. only then the provider is called, with a precondition for each note,
//  4. and the record is finished and its events are stored in one database transaction.
//
// Whatever stops in between, Reconcile finds in the journal, and tells from the stored notes whether the plan landed.
package txn
