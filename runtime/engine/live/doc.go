// Package live runs the durable kernel with protoactor. Every live
// [engine.Activation] and every worker is one protoactor, supervised by a tree of
// our own. The main type is [System]. Package engine says what a turn is; its Sim
// is the same driver in virtual time.
//
//	guardian              resumes a supervisor that failed
//	├── workers           one child per slot, "kind/N"
//	└── actors            one child per actor, spawned when it is first woken
//
// A mailbox here holds no mail of actors: that waits in the activation. It keeps
// only whether the child was woken, so that any number of wake-ups make one run. A
// turn that failed panics inside its protoactor with the *engine.Failure; the
// supervisor then keeps the child suspended for the failure's delay, on the
// engine's clock, and restarts it. Nothing stops without being asked to: a child
// that ends anyway is reported and spawned again.
//
// guard_test.go lists what is used of protoactor and what must not be.
package live
