// Package owner knows what the owner of this node does and allows: the state of
// attention, and whether replies may be sent. [New] makes the actor owner/NODE.
//
// A conversation that works on a reply follows it: it is told at once and with each
// change. After a restart those who follow are told again, which also wakes them, so
// that they ask once more what the end of the process lost.
//
// Tables: "state" with the row "state", a [State]; "followers", a row for each
// conversation that follows. A crash loses nothing.
package owner
