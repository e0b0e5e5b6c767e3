// Package stream decides how much of a reply is shown while it is still being written. A
// [Rule] cuts long replies at the end of a sentence and says how much of an unfinished
// one is safe to show. A [Throttle] spaces what is published. An [Assembler] combines
// both for the pieces of one reply.
//
// Shown text is never taken back: [Rule.Shown] of any beginning of a text is a
// beginning of [Rule.Final] of the whole. The one exception is a new epoch, with
// which a retried reply starts over.
//
// Everything here is pure: the time is an argument, and nothing is stored.
package stream
