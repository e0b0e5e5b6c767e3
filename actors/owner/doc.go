// Package owner knows what the owner of this node does and allows: the state of
// attention, and whether replies may be sent. [New] makes the actor owner/NODE.
//
// A conversation that works on a reply follows the owner's state: it hears it at
// once and at each change. After a restart all followers hear it again. That also
// wakes them, so that they repeat questions that were lost with the process. One whose key is out of reach hears it
// once the key is back; the others do not wait for that.
//
// Tables: "state" with the row "state", a [State]; "followers", a row for each
// conversation that follows. A crash loses nothing.
package owner
