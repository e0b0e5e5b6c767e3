// Package actortest tests one actor, synchronously, over the real engine step.
//
// Its main type is [Harness]: [Spawn] makes one around a single actor and an
// in-memory store. A message given to [Harness.Send] is handled and committed
// when Send returns; what the turn wanted is then asked for with the Want
// methods. Each Want method takes what happened since it was asked last, so
// h.WantSent() without arguments says that nothing was sent.
//
// Other actors do not run: mail to them is captured, and waits in the store as
// it would for a kind that this runtime lacks. Workers do not run either: a call
// stays open until [Harness.Answer] or [Harness.FailCall], or until the actor
// cancels it; [Harness.Report] tells what its worker reports before. Time stands still
// until [Harness.Advance].
//
// A crash ([Harness.Crash], [Harness.CrashBeforeCommit]) throws away everything
// that is not in the store and makes a new actor value over the same store:
// fleeting mail, timers and calls are gone, durable ones come again.
//
// A turn that fails fails the test, unless [Harness.WantFailure] announced it.
// The actor then rests for its backoff, as in the runtime: its message comes
// again, and later mail is handled, after Advance or [Harness.Restart].
//
// Whole systems are tested with package testkit.
package actortest
