// Package growth makes something of what was said: who lives where, what somebody likes,
// what is still to be done. [New] makes the actor growth/CONVERSATION, the lane in which
// the jobs of one conversation run one after the other:
//
//	Grow ─► ReadEvents (a worker) ─► EventsRead ─► GrowEvents … ─► the rules: [Learn], [Feel], [Names]
//
// An event is grown when the turn that stores it has committed, from what is stored: its
// present wording, or that it is gone. All that rests on it is replaced, so a job that
// runs twice changes nothing. Replies do not wait for growth: they use the raw events.
//
// # What follows from what
//
// An event makes claims about topics (memory.Claim), and the states of a topic follow
// from its claims in the order of time (memory.Topic): a correction ends what was said
// before, which stays true until then. So an edit, a message that is taken back and one
// that comes late change the history as if it had been so from the beginning. Each change
// is a revision; those that quote what is not said any more are removed.
//
// # Jobs that fail
//
// A job of the rules that fails is a dead letter like any message. Reading is repeated
// twice and is then a dead letter too, GrowthFailed; kehai deadletters retry begins it
// anew. Either way the lane goes on with the next job.
//
// # What is stored
//
// Tables: "topics", a memory.Topic by its Key; "entities", a memory.Entity by type and
// name, hashed; "moments", a memory.Moment by the memory.Key of its event; "grown", what
// rests on an event, by the same key; "revisions" by their number, the newest 1000;
// "jobs", those that failed; "lane" with the row "lane".
//
// A crash loses nothing: all of it is durable.
package growth
