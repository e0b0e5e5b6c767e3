// Package actors is the contract between an actor and the engine that runs it.
//
// An actor is a pure decision wrapped in a transaction: [Actor.Receive] gets one
// message and collects in its [Turn] what it wants: new rows in its tables,
// messages to others, timers, calls to workers, verdicts, events. The engine
// commits the whole turn in one transaction together with the acknowledgement
// of the message, and only then delivers. A panic, an error or a kill: either
// the turn happened, or it did not and the message comes again.
//
// # How to write an actor
//
//  1. Declare message types with a stable name and put them in a table of
//     types, durable or fleeting (package messages).
//  2. Put the rules in files of their own, as pure functions over state, message
//     and time.
//  3. Write a struct with a Receive that is a type switch with one line per
//     message; keep state in [Table] variables.
//  4. Give slow or failing work to a [Worker] with [Turn.Call]; expect its
//     result or messages.CallFailed.
//  5. Test it with package testkit/actortest, a crash included.
//
// A worker that is a [Reporter] tells its caller how far it is while it works.
// These reports are fleeting and say all that there is to say so far, so the newest
// replaces one that waits for its turn. They are ordered for each call and come
// before its result, never after it; a retry, a restart of the worker and
// [Turn.CancelCall] void the reports that were not handled yet. After a crash a
// durable call starts over, and so do its reports. An actor must come to the same
// without them.
//
// Sends, timers and calls are as durable as their message type. A turn that
// changes no table and causes nothing durable commits nothing.
//
// # Was it seen before?
//
// A message is on the screen for hours and must be delivered once. Each actor on
// its way knows something that the others do not, so several decide whether it was
// seen before. Here they stand in the order in which they are asked, each with the
// case that only it can decide:
//
//	| who           | compares                          | only it decides                                      |
//	|---------------|-----------------------------------|------------------------------------------------------|
//	| poller        | pixels of the window              | a frame that need not be read                        |
//	| fusion        | bubbles of the last view          | other pixels, the same content: nothing is written   |
//	| fusion cursor | text: the last lines passed on    | a window of texts after a restart (*)                |
//	| fusion delta  | text: the last reading            | the newest lines have gone, older ones are left (*)  |
//	| dedup         | the whole view, as it came last   | a place before all that is known, shown twice        |
//	| dedup ledger  | places in the transcript          | "OK" twice is two messages, read twice it is one     |
//	| dedup recent  | texts of the last 75 s            | a known message in a view of which nothing is known  |
//	| ingress       | occurrence numbers                | a channel that hands a message in twice              |
//	| ingress short | short texts, without punctuation  | the same, after it was read with another mark        |
//	| ingress common | longer texts of all channels     | one message from two channels                        |
//	| burst         | lines of the burst                | a short line read again with its end cut (*)         |
//
// (*) for texts without a place alone: in profile seed, and the cursor and the
// delta where bubbles have no boxes.
//
// Whether Kehai itself has sent a text is asked twice. Fusion asks for two minutes,
// by bubbles: an own bubble that was read on the friend's side goes into the ledger
// as an own one. Ingress asks for ten minutes, by text: whatever comes later, or
// from another channel. TestSameAgain and TestSentByUs play each of these cases.
package actors
