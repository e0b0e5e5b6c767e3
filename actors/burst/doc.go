// Package burst joins messages that come in quick succession to one. [New]
// makes the actor burst/CONVERSATION; the rules are in coalesce.go: [Buffer] and
// [Rules].
//
//	Heard ─► buffer ─┬─ quiet for a while, or full, or waited long enough ─► InboundMessage
//	                 └─ other sender ─► InboundMessage, and a new buffer
//	Revised ─► the buffer if that holds its message, then Revised
//
// Tables: "buffer" with the row "buffer", the parts that wait; "last" with the
// row "last", the highest occurrence ever taken, by which repeats are refused.
// A crash loses nothing: the buffer and its timer are durable.
package burst
