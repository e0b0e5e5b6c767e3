// Package trace reads from the store what happened to messages and replies. [Timeline] is
// the event log in a form for people. [Evidence] is everything stored about a
// conversation; from it comes the path of one message, stage by stage. [Verdicts] are the
// decisions alone. It only reads the tables that actors export.
package trace
