// Package judge decides whether to answer. [New] makes the actor judge/CONVERSATION,
// which answers JudgeReply with ReplyJudged. A scope, that is a channel or one thread of
// it, has a [State]: the judgement that holds, and what became of the last one. [Rules]
// decide when to ask a language model again, read its answer and say how long a
// judgement holds; they are pure.
//
// Tables: "scope" with the row "scope", a [Row]. A crash loses the model's answer, and
// the question is asked again. A judgement that has not held for a day is deleted.
//
// # One judgement after the other
//
//	Rules.Due ──yes──► the model ──► Rules.Take ──► Rules.Judged ──respond──► the reply
//	   ▲ no: nothing changed           │ unreadable,      │ no: cached            │
//	   │                               └─ asked once: again                       ▼
//	   └───────────── every 60 s ◄───────────────── Rules.Delivered, Rules.NotDelivered
//
// A judgement holds until its next check, and only for the message that was the
// newest one then. A "no" is cached at once. A "yes" is cached when the reply was
// delivered: a reply that fails is tried again, after a wait that doubles from one
// minute to ten, for which other messages do not wait.
//
// # How long it holds
//
//	| judgement                        | holds for                                           |
//	|----------------------------------|-----------------------------------------------------|
//	| confidence of a threshold        | the seconds of the highest threshold that it reaches |
//	| below all thresholds             | default_skip                                        |
//	| without a confidence             | at most default_skip                                |
//	| "no"                             | at most half of the time until the message is too old |
//	| unreadable, after a second ask   | default_skip: "no" with confidence 0                |
//	| the model did not answer         | default_skip: "no" with confidence 0                |
//
// Profile seed has neither of the two "at most".
//
// # Who is judged when
//
// A message of a one-to-one chat is judged when it is delivered. Every 60 s the
// scheduler looks at what is unanswered for at least 300 s and less than 12 hours, in
// groups and, for a judgement that no longer holds, everywhere. Without a model
// one-to-one chats are answered and groups are not; greetings, thanks and an OK want no
// fixed answer.
//
// # What changes a judgement from outside
//
//	| event                | effect                                             |
//	|----------------------|----------------------------------------------------|
//	| a new message        | another newest message: judged again               |
//	| an edit              | another revision of it: judged again               |
//	| a message taken back | State.Forget: judged again                         |
//	| an own reply         | State.Forget: nothing is unanswered                |
//	| the clock set back   | by over a minute: judged again                     |
package judge
