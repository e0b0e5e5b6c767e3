// Package notify tells a person that drowsiness or distraction lasts: once for
// each time it lasts, and not again for the same state until a pause is over.
//
// due.go says when a notice is due, as a pure function of what is stored;
// actor.go keeps that in one row, "spell" of the table of that name, and waits
// with a durable timer, so that a crash neither loses a notice nor repeats one.
// Notices are durable events; worker.go shows them on the desktop if the host
// has a driver for that, which is best effort.
package notify
