// Package notify tells a person that drowsiness or distraction lasts: once for
// each episode, and again for the same state only after a cool-down.
//
// due.go says when a notice is due, as a pure function of the stored row.
// actor.go stores that row, "spell" of the table of that name, and waits with a
// durable timer, so a crash neither loses a notice nor repeats one. Notices are
// durable events. worker.go shows them on the desktop if the host has a driver
// for that; this is best effort.
package notify
