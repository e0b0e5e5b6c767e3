package web

import (
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// pageMessages is how many messages the page holds.
const pageMessages = 100

// helloView tells the page which process and which assets it talks to.
type helloView struct {
	Boot  string `json:"boot"`
	Build string `json:"build"`
	Keep  int    `json:"keep"`  // messages to hold
	Now   int64  `json:"now"`   // milliseconds since 1970, the page's clock
	Acts  bool   `json:"acts"`  // commands are taken
	Tells bool   `json:"tells"` // details of a frame can be asked for
}

type statusView struct {
	Status
	Problems []string `json:"problems"`
}

type windowView struct {
	ID      messages.WindowID `json:"id"`
	Capture *captureView      `json:"capture,omitempty"` // set while it cannot be captured
	Frame   *frameView        `json:"frame,omitempty"`
	Hidden  bool              `json:"hidden,omitempty"` // it shows something that must not be read
}

type captureView struct {
	Code   string    `json:"code"`
	Detail string    `json:"detail"`
	At     time.Time `json:"at"`
}

// frameView is what was found in a frame. Boxes are in pixels of the picture.
type frameView struct {
	Version uint64        `json:"version"`
	At      time.Time     `json:"at"`
	W       int           `json:"w"`
	H       int           `json:"h"`
	Scale   float64       `json:"scale"`
	Title   messages.Text `json:"title"`
	Read    int           `json:"read"`
	Cached  int           `json:"cached"`
	TookMS  int64         `json:"took_ms"`
	Bubbles []bubbleView  `json:"bubbles"`
}

type bubbleView struct {
	Side       messages.Side `json:"side"`
	Kind       messages.Kind `json:"kind"`
	Box        messages.Rect `json:"box"`
	Sender     messages.Text `json:"sender,omitempty"`
	Stamp      string        `json:"stamp,omitempty"`
	Clipped    bool          `json:"clipped,omitempty"`
	Text       messages.Text `json:"text"`
	Confidence float64       `json:"confidence"` // of the worst line, 0 without lines
}

// status returns the current status. It calls the host first and then takes the hub's
// lock.
func (s *Server) status() statusView {
	v := statusView{Status: s.opts.Status(), Problems: reasons(s.opts.Health())}
	v.Windows = append([]messages.WindowID{}, v.Windows...)
	v.Paused = append([]Paused{}, v.Paused...)
	h := s.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	for id := range h.windows {
		if !slices.Contains(v.Windows, id) {
			v.Windows = append(v.Windows, id)
		}
	}
	slices.Sort(v.Windows)
	return v
}

// versions are the versions of the state that a client was sent.
type versions struct{ windows, status, messages, desk uint64 }

// changed returns the windows that changed after a version, by ID, and the current
// versions.
func (h *hub) changed(after uint64) (list []windowView, now versions) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, w := range h.windows {
		if w.version > after {
			list = append(list, w.view())
		}
	}
	slices.SortFunc(list, func(a, b windowView) int { return strings.Compare(string(a.ID), string(b.ID)) })
	return list, versions{windows: h.version, status: h.status, messages: h.messages, desk: h.desk.version}
}

func (w *window) view() windowView {
	v := windowView{ID: w.id, Hidden: w.hidden}
	if c := w.capture; c != nil {
		v.Capture = &captureView{Code: c.Code, Detail: c.Detail, At: c.At}
	}
	if w.frame == nil {
		return v
	}
	read, size := w.frame.Read, w.frame.Frame.Image.Bounds().Size()
	v.Frame = &frameView{
		Version: w.seen, At: read.At, W: size.X, H: size.Y, Scale: read.Scale, Title: read.Title.Text,
		Read: read.Read, Cached: read.Cached, TookMS: read.Took.Milliseconds(), Bubbles: []bubbleView{},
	}
	for _, b := range read.Bubbles {
		v.Frame.Bubbles = append(v.Frame.Bubbles, bubbleView{
			Side: b.Side, Kind: b.Kind, Box: b.Box, Sender: b.Sender, Stamp: b.Stamp, Clipped: b.Clipped, Text: b.Text,
			Confidence: lowest(b.Lines),
		})
	}
	return v
}

func lowest(lines []messages.Line) float64 {
	if len(lines) == 0 {
		return 0
	}
	w := lines[0].Confidence
	for _, l := range lines[1:] {
		w = min(w, l.Confidence)
	}
	return w
}
