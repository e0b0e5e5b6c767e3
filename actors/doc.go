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
// Sends, timers and calls are as durable as their message type. A turn that
// changes no table and causes nothing durable commits nothing.
package actors
