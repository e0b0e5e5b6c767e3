package fusion

import (
	"time"

	"github.com/kehai-run/kehai/messages"
)

// drawnWithin is how long an application may take to draw a window of another size: until then its old
// contents stand beside nothing, or are stretched.
const drawnWithin = 1500 * time.Millisecond

// sized is the size that a window's frames have. It dies with the activation.
type sized struct {
	size  messages.Rect
	since time.Time // capture of the first frame with it; zero for the first size of all
}

// note takes a frame, and reports whether its size is too new to trust what it shows.
func (s *sized) note(m messages.FrameRead) bool {
	switch {
	case s.size == messages.Rect{}:
		s.size = m.Size
	case s.size != m.Size:
		s.size, s.since = m.Size, m.At
	}
	return !s.since.IsZero() && m.At.Sub(s.since) < drawnWithin
}
