// Package history keeps when the state of attention at a desk changed.
//
// actor.go stores one row for each change in the table "changes", under the time
// of the change, and deletes rows that are too old. Judgements between changes
// are not stored. summary.go turns changes into spans of time and into the sums
// of a day. A change arrives in the transaction that made it, so a crash neither
// loses nor repeats one.
package history
