// Package conversation keeps what was said in a conversation, tells the host, and
// answers. [New] makes the actor conversation/CONVERSATION. A message is delivered
// when the turn that stores it here has committed; that turn publishes
// MessageDelivered. A later change of the message is noted in its row and published
// as MessageChanged, also in one turn; a change of something that was not delivered
// is dropped.
//
// # Replies
//
// A stored desk of package conversation/reply decides about replies; this actor carries out its effects:
//
//	a message ─► judge/CONVERSATION ─yes─► a model ─► Decide ─┬─ held until the owner or the hour changes
//	                                          │               ├─ a draft, which waits for a person
//	                                          └─ none, or     └─ sent: outbound/WINDOW, which confirms it
//	                                             it fails: a fixed text
//
// Each change that a person can see is published as ReplyChanged. owner/NODE tells
// what attention and the owner allow while a reply is worked on.
//
// # What is stored
//
// Tables: "head" with the row "head", a [Head]; "messages", the newest messages by their
// number in 16 digits; "ids", the numbers of the same messages by id, by which repeats are
// refused; "revisions", how often they were changed; "own" and "own_places", the same for our
// side; "desk", "basis", "usage" and "owner", what is known of replies; "follows", the owner
// who tells that while something is to be decided ([Unfinished]); "vault", the
// originals of what a model saw masked; "quota", how often a model was asked; "unchecked",
// what of an interview a model has not searched for private data yet (actor_check.go);
// "reminders", a [Reminder] by its number; "remembered", that memory was told of all and
// keeps no acknowledgements; "interview", an [Interview] if the conversation is or was led as
// one: its texts are stored masked only; "into", where all has gone once the conversation was
// merged into another one (actor_join.go). What a person takes out of a conversation goes to
// another one in parts of a bounded size (actor_split.go). TrimDue deletes rows by their age.
//
// A crash loses nothing. A question to a model is fleeting, and so asked again: by the
// first message after a restart, which owner sends to those who follow it. At a node of a
// cluster to which a conversation moves the engine starts it, if it has the row [Unfinished];
// there it follows the owner of that node, because the one before may be gone for good.
//
// # Files
//
// actor.go delivers and actor_revise.go changes what was delivered; actor_own.go keeps
// our side, actor_channel.go takes and hands out what no window shows,
// actor_interview.go leads an interview, actor_desk.go moves the desk, actor_write.go has replies judged, written
// and decided, actor_command.go does what a person wants. context.go says what a model
// reads, settings.go what can be set.
package conversation
