// Package trace tells from the store what became of messages and replies. [Timeline] is
// the event log as people read it; [Evidence] is everything that is stored about a
// conversation, from which it makes the way of one message, stage by stage; [Verdicts] are
// the decisions alone. It only reads: what actors keep, by the tables that they export.
package trace
