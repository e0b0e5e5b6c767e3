// Package judgements plays channel logs in virtual time and counts what the cache of
// judgements saves: calls of a language model that it avoids, and replies that are
// missed because of it, against judging at every look. A [Line] of a log is a message
// and what a scripted judge makes of it; [Read] reads a log, [Generate] makes one, and
// [Play] plays it.
//
// It uses the rules of package judge. A one-to-one message is judged when it
// arrives, and like those of groups again at every look of the scheduler. A reply is
// delivered at once.
package judgements
