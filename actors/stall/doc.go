// Package stall watches that what was done is told: a task that reported its completion
// must be followed by a text that was seen to be sent. [New] makes the actor stall/NODE.
//
// outbound reports each reply that it takes as a completion, and what becomes of it; a host
// reports tasks of its own with [messages.TaskDone], under the key with which it sends the
// text about it. What is decided is pure: [Rules] and [Watch].
//
//	| from    | on                                        | to      | is told               |
//	|---------|-------------------------------------------|---------|-----------------------|
//	| none    | completion, of a trace that is not known  | pending |                       |
//	| pending | its text was seen to be sent              | none    | over, if it was told  |
//	| pending | another one of its conversation was, soon | none    | over, if it was told  |
//	| pending | an attempt was put off, or failed         | pending |                       |
//	| pending | threshold, a person typed at last         | pending | stalled_typing_busy   |
//	| pending | threshold, sending is paused              | pending |                       |
//	| pending | threshold, otherwise                      | known   | stalled_no_send       |
//	| pending | taken back                                | none    | over, if it was told  |
//	| known   | its text was seen to be sent after all    | known   | over                  |
//
// Another text counts within [Rules.Proximity] after the completion, and only where the
// conversation has no other task pending: else it could hide a stall. stalled_typing_busy
// is told once and may still end well; the threshold is looked at again and again, until
// the text goes out or fails otherwise. stalled_no_send is final. It is told once for each
// trace, of which the last [Rules.Traces] are known.
//
// Tables: "pending", a [Watch] by trace; "known", a [Watch] by trace, of those that were
// told as final. A crash loses nothing; a completion that was reported counts from when it
// was stored, by durable timers.
package stall
