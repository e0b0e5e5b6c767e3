// Package growth makes something of what was said: who lives where, what somebody likes,
// what is still to be done. [New] makes the actor growth/CONVERSATION, the lane in which
// the jobs of one conversation run one after the other:
//
//	Grow ─► ReadEvents (a worker) ─► EventsRead ─► GrowEvents … ─► the rules: [Learn], [Feel], [Names]
//	                                                            └► AskLLM ─► what a model finds besides
//
// An event is grown when the turn that stores it has committed, from what is stored: its
// present wording, or that it is gone. All that rests on it is replaced, so a job that
// runs twice changes nothing. Replies do not wait for growth: they use the raw events.
//
// # What follows from what
//
// An event makes claims about topics (memory.Claim), and the states of a topic follow from
// its claims in the order of time (memory.Topic): a correction ends what was said before,
// which stays true until then. So an edit, a message that is taken back and one that comes
// late change the history as if it had been so from the beginning. Each change is a
// revision. A revision is removed when the words it quotes are gone. A stretch of talk has
// a summary of its own words: three sentences, first those from which something was
// learned ([Tells]). A model's summary takes their place until a message of that stretch
// is taken back, because it may be about any of them.
//
// Where the changes since the last reading are not known any more, all events are read anew;
// what rests on one that is in no part is removed then. A job that comes behind a later one,
// such as a dead letter that is sent again, is not trusted: it has all read anew.
//
// # What a model finds
//
// If there is a model, it is asked about up to 16 events at once, a while after they were
// said, and at most so often an hour ([Rules]). A claim of the model counts only with a
// quote and a value that stand in the event, letter by letter; a summary's sentence is in
// its own words, with a quote. A model on another machine sees masked messages, and
// nothing is learned from the hidden words. A worker of its own asks one question at a
// time, so that replies find the model free.
//
// # Jobs that fail
//
// A job of the rules that fails is a dead letter like any message. Reading and a question
// to the model are repeated twice and are then a dead letter too, GrowthFailed; kehai
// deadletters retry begins them anew. An answer that is not readable is none in the end:
// no message can make work for the owner. Either way the lane goes on with the next job.
//
// # What is stored
//
// Tables: "topics", a memory.Topic by its Key, and "entities", a memory.Entity by type and
// name, both hashed under a key of the conversation (memory.RowOf), because the keys of rows
// are not sealed and names are easily guessed; "portrait" with the row "portrait", a
// memory.Portrait; "moments", a memory.Moment by the memory.Key of its event; "grown", what
// rests on an event, by the same key; "revisions" by their number, the newest 1000;
// "jobs" by their number, the questions that wait or failed, and "read"; "lane" with the
// row "lane".
//
// A crash loses nothing: all but the question to the model is durable, and that is asked
// again.
package growth
