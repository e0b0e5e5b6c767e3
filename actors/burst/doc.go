// Package burst joins messages that come in quick succession to one. [New]
// makes the actor burst/CONVERSATION; the rules are in coalesce.go: [Buffer] and
// [Rules].
//
//	IncomingBubble ─► buffer ─┬─ quiet for a while, or full, or waited long enough ─► InboundMessage
//	                 └─ other sender ─► InboundMessage, and a new buffer
//	Revised ─► the buffer if that holds its message, then Revised
//
// In profile seed a line that says the same as one in the buffer is left out, and
// a message of nothing else is dropped: nothing but its text tells it from one that
// was read twice. Otherwise every occurrence is taken, whatever it says: ingress
// hands each on once.
//
// Table: "buffer" with the row "buffer", the parts that wait. A crash loses
// nothing: the buffer and its timer are durable.
package burst
