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
// # Commits
//
// A commit is a value: a [Batch] of what turns and requests do to one [Shard]. It
// holds rows under their final keys, and records that still lack a number. [Apply]
// makes ops of it, from the rows of the shard and the batch alone, so that any node
// that applies the same batches holds the same bytes. Only [Apply] gives numbers,
// and only it decides whether a change happens: a turn must belong to the present
// owner of its actor and find its receipt, an injection must find its key unused. A
// change that fails leaves no trace, and the others of the batch still happen; see
// [Status].
//
// The store is written in one place, which applies a batch for each shard as one
// transaction. A turn in one shard may send to an actor of the other: this part of
// it crosses over, as a change of its own there. Here both are in one transaction;
// between nodes an outbox carries it, and its place among all that have crossed
// makes it happen once and in order. The event log belongs to the shard Anywhere,
// whoever publishes, so that its readers have one order and one cursor.
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
//	u/name                    a subscription's place in the event log; in a cluster lu/name
//	f/CONVERSATION            a deletion under way                   forgetRecord
//	lp/CONVERSATION           this node's part of another's deletion   nothing
//	g/CONVERSATION            in a cluster: the entry that began its newest deletion
//	lg/CONVERSATION           the newest such entry of which this node knows
//	h/name                    a setting of the host
//	o/ADDRESS                 the epoch of an actor's owner, 1 if there is none
//	n/ADDRESS                 the node that owns it, in a cluster
//	x/in/SHARD x/out/SHARD    changes that came from a shard, that went there
//	x/box/NODE NUL number     in a cluster: a change that waits until a node has it
//	x/boxed/NODE x/unboxed/NODE   the last of them, and the last that the node has
//	lx/box/number             in a cluster: a change that waits until the log has it
//	m/seq                     last number given out
//	m/trimmed/NODE            the last event that retention deleted at a node; alone it has no name
//	m/boot m/format           starts, version of these keys
//	m/loose                   there if the last start did not sync every commit
//	m/up/NODE                 in a cluster: the start of a node that is there
//	m/by/NODE                 the last entry of the log that a node proposed
//	m/store/NODE              the id of the store with which it takes part
//	m/note/number             a note for all nodes
//	m/zone/NODE               the zone of a node, see [Kind.Zoned]
//	m/zone/NODE/STORE         that of a machine which had the name before another one got it
//	m/born/KEY                NODE or NODE/STORE on which an actor of that key began, since one has a zone
//	m/born/                   the same of who founded the cluster, if it had a zone
//	lm/applied                the last entry of the log that this store holds
//	lm/store lm/noted         the id of this store, the last note that was handed on
//	lm/restoring              there while a snapshot of the cluster is restored
//	m/sealed                  there if all that is private is sealed; opens with the node's key
//
// The address of a row decides its shard. Rows without an address belong to the
// shard Anywhere, except h/, m/boot, m/format and m/loose; the shard Here has its
// own of d/, v/, f/, x/ and m/seq, which begin with l: ld/ and so on.
//
// # In a cluster
//
// The shard Anywhere is the same on all nodes: a [Replica] writes it from a [Log], and an
// entry holds what one node proposes. Turns of that shard run where their actor is owned,
// and are released when the log brings them back; see [Options.Replica]. An actor that
// gets mail and has no owner is given to the node that proposed the mail, unless it may not live there, see
// [Kind.Zoned]. When a node is
// reported down, its actors move to the nodes that are up, with a new epoch: its later
// proposals are stale. Mail for an actor of another node needs no message, because the
// owner's store has it too. Mail that crosses over to a node waits until the node has it,
// and mail from a node until the log has it, each in order and once. Nothing but the
// node's own shard waits for the log.
//
// # What is sealed
//
// With a [Sealer] the rows of i/ t/ c/ a/ s/ d/ e/ v/ f/ and h/ are sealed before
// they enter a batch, each for its subject: the conversation that its message or
// verdict is about, or that [Kind].SubjectOf names for a row of s/, else the key of the
// actor that it belongs to, which is a conversation or a window, and the node for f/
// and h/. k/ u/ o/ x/ and m/ hold
// times and numbers and stay as they are, and so do keys: a key must name nobody. A
// sealed row is
//
//	00 6b 73 01 | what the Sealer made of it
//
// and bound to its key, a numbered one to its key without the number, which is given
// later. Only this package opens rows; all that it tells is plain. A snapshot holds
// them sealed. The first start seals the rows of an older version, step by step, and
// writes m/sealed last: from then on a row that is not sealed is refused. Forgetting
// destroys the key of the conversation as soon as its intent is stored, and then
// deletes the rows: until the last row and the intent are gone, rows that do not
// open count as deleted. Later rows are under a new key. A deletion whose key is out of
// reach waits for it; one that meets rows of others whose key is leaves an intent for
// these rows alone. Any other row whose key is
// missing is bad by itself: mail becomes a dead letter, a subscription stops at an
// event with the reason, a turn that reads the row fails.
//
// An actor that has had nothing to do for a while is put to sleep, see
// [Control.Sleep]: all that it knows is above. What was in hand when the process
// died is known from [Hands], which are no part of the store.
//
// A crash loses only what was fleeting, and turns that were not committed yet:
// their messages come again.
package engine
