// Package history keeps when the state of attention at a desk changed.
//
// actor.go stores one row for each change, none for the judgements between, in
// the table "changes" under the time of the change, and deletes what is older
// than it may be. summary.go turns changes into spans of time and into the sums
// of a day. A change arrives in the transaction that made it, so a crash loses
// none and doubles none.
package history
