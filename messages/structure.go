package messages

import "time"

// StructureDue is the structure poller's own timer.
type StructureDue struct{}

// MessageType implements [Message].
func (StructureDue) MessageType() Type { return Type{"structure_due", 1} }

// CountRows asks a structure worker how many rows the message list of a window
// has.
type CountRows struct{ Window WindowID }

// MessageType implements [Message].
func (CountRows) MessageType() Type { return Type{"count_rows", 1} }

// RowsCounted is the structure worker's result.
type RowsCounted struct {
	Window WindowID
	Rows   int
	Names  []Text    `json:",omitempty"` // of the chat, see hardware.ChatNamer
	At     time.Time // when the window was asked
}

// MessageType implements [Message].
func (RowsCounted) MessageType() Type { return Type{"rows_counted", 1} }

// StructureSignal tells fusion/WINDOW how the number of rows has changed from
// one poll to the next.
type StructureSignal struct {
	Window WindowID
	Rows   int
	Delta  int
	Names  []Text    `json:",omitempty"` // of RowsCounted
	Since  time.Time // of the poll before
	At     time.Time
}

// MessageType implements [Message].
func (StructureSignal) MessageType() Type { return Type{"structure_signal", 1} }

// SignalDue is fusion's own timer: a structure signal waits for a text.
type SignalDue struct{}

// MessageType implements [Message].
func (SignalDue) MessageType() Type { return Type{"signal_due", 1} }

// ReadNow tells a poller to capture and read its window at once, even if nothing has
// changed.
type ReadNow struct{ Window WindowID }

// MessageType implements [Message].
func (ReadNow) MessageType() Type { return Type{"read_now", 1} }
