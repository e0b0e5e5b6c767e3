// Package conversation keeps what was said in a conversation and tells the
// host. [New] makes the actor conversation/CONVERSATION. A message is delivered
// when the turn that stores it here has committed; that turn publishes
// MessageDelivered. What becomes of a message after that is noted in its row and
// published as MessageChanged, in one turn as well; a change of something that
// was not delivered is dropped.
//
// Tables: "head" with the row "head", a [Head]; "messages", the newest messages
// by their number in 16 digits; "ids", the numbers of the same messages by id,
// by which repeats are refused. TrimDue deletes rows by their age. A crash loses
// nothing.
package conversation
