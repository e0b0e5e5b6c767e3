// Package attention judges and reports what people do at their desks, outside of a
// running Kehai: two snapshots ([Classify], [Ask]), a whole record in its own time
// ([Replay]), and what the history of a desk adds up to ([Spans], [Days], in CSV
// or for ActivityWatch).
//
// It uses the rules of actors/attention, and a replay runs its actor on the kernel,
// so that a script sees what a running Kehai would have said.
package attention
