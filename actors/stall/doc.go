// Package stall notices finished work that nobody was told about: when a task reports its
// completion, a text about it must be seen to go out. [New] makes the actor stall/NODE.
//
// outbound reports each reply it accepts as a completion, and later how it ended. A host
// reports its own tasks with [messages.TaskDone], under the same key as the text about
// them. The decisions are pure: [Rules] and [Watch].
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
// Another text counts within [Rules.Proximity] of the completion, and only if the
// conversation has no other task pending; otherwise it could hide a stall.
// stalled_typing_busy is reported once and may still end well: the threshold is checked
// again and again until the text goes out or fails for another reason. stalled_no_send is
// final and reported once for each trace; the last [Rules.Traces] traces are remembered.
//
// Tables: "pending", a [Watch] by trace; "known", a [Watch] by trace, of tasks that were
// reported as final. A crash loses nothing: timers are durable, and a completion counts
// from when it was stored. Nobody waits for a conversation whose key is out of reach: its
// tasks are told of once the key is back.
package stall
