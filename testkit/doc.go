// Package testkit tests a host's use of Kehai: [Start] runs a whole runtime,
// actors, store and all, on a chat window that is drawn, inside a
// testing/synctest bubble, so that hours pass in milliseconds and nothing has to
// be installed. It reads with a recognizer that knows what was drawn.
//
//	synctest.Test(t, func(t *testing.T) {
//		sys := testkit.Start(t)
//		sys.Friend("Hana", "hello")
//		sys.WantMessages("hello")
//		sys.Crash()
//		sys.Friend("Hana", "still there?")
//		sys.WantMessages("hello", "still there?")
//	})
//
// [System.Remember] gives it a memory in a line.
//
// [NewCluster] runs a host's own actors on several nodes in virtual time, over a double of the
// log that they share: nodes are killed, paused, cut off from each other and restarted.
//
// [Fault] makes workers and the store fail: by error, panic, hang or garbage, every nth
// time or where a predicate says. [LLMServer] is a language model that answers from a
// script, over the network or inside the bubble. One actor alone is tested with package
// testkit/actortest, and package testkit/replay measures a set of rules on a chat.
package testkit
