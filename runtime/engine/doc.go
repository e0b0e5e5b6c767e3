// Package engine is Kehai's durable kernel: it makes an actor's turn a
// transaction. The main type is [Engine]. [Control] is what its driver sees:
// [Control.Step] runs one turn of one actor without goroutines, and
// [Control.Commit] writes the turns that wait as one transaction and then releases
// what they want. Package engine/live drives it with protoactor, [Sim] in virtual
// time and in a seeded order.
//
// # What is durable
//
// A send, a timer or a call is as durable as its message type. Durable mail is
// written into the receiver's stored inbox by the sender's own transaction, and
// deleted by the receiver's: there is no moment at which it is in neither. A
// durable timer or call is a row that the turn handling its message deletes.
// That row is the delivery's receipt: a delivery without its receipt was handled
// before and is skipped. A turn that changes no table and causes nothing durable
// commits nothing.
//
// Turns of one actor are pipelined: the next turn reads what earlier ones wrote
// before it is committed. Commits keep the order, and nothing leaves a turn
// before its commit. When a commit fails, every later turn of the same actors
// is taken back with it, and their messages come again.
//
// # Keys
//
// A number is eight bytes, big endian. An address never holds NUL.
//
//	i/ADDRESS NUL number      inbox entry                            mailRecord
//	t/ADDRESS NUL key         durable timer                          timerRecord
//	c/ADDRESS NUL call id     durable call without an accepted answer callRecord
//	a/ADDRESS NUL receipt     failed attempts of a delivery          attemptsRecord
//	s/ADDRESS NUL table NUL key   the actor's own rows               see actors.Table
//	d/number                  dead letter                            deadRecord
//	e/number                  event log                              logRecord
//	v/number                  verdict                                verdictRecord
//	k/ADDRESS NUL key         injection that was made once           injectedRecord
//	u/name                    a subscription's place in the event log
//	f/CONVERSATION            a deletion under way                   forgetRecord
//	h/name                    a setting of the host
//	m/seq m/boot m/format     last number given out, starts, format of the store
//
// A crash loses only what was fleeting, and turns that were not committed yet:
// their messages come again.
package engine
