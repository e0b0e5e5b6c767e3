package snapshot

import (
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// Record is what was read last in a window, and what each stage made of
// it: latest-pipeline.json, and the details on the live page. It holds private
// text.
type Record struct {
	Window     messages.WindowID  `json:"window"`
	At         control.Stamp      `json:"at"` // of the capture
	Trace      string             `json:"trace"`
	Frame      string             `json:"frame,omitempty"`  // file with the picture, beside this one
	Masked     string             `json:"masked,omitempty"` // and with all but incoming bubbles painted over
	Hash       string             `json:"hash"`
	Size       messages.Rect      `json:"size"`
	Scale      float64            `json:"scale"`
	Title      messages.Line      `json:"title"`
	Name       string             `json:"name"` // of the conversation, as the title tells it
	Bubbles    []messages.Bubble  `json:"bubbles"`
	Marks      []messages.Mark    `json:"marks,omitempty"`
	Read       int                `json:"read"`
	Cached     int                `json:"cached"`
	Unread     []string           `json:"unread,omitempty"` // what OCR left out, and why
	Burst      []Capture          `json:"burst,omitempty"`  // the captures that decided together, if several did
	TookMS     int64              `json:"took_ms"`
	Signals    []events.Signalled `json:"signals,omitempty"` // that make up the score
	Score      int                `json:"score"`
	Confidence string             `json:"confidence,omitempty"`
	Signal     events.Rule        `json:"signal,omitempty"` // rule of fusion that decided
	Changed    string             `json:"pixel_text_changed,omitempty"`
	Cursor     string             `json:"cursor,omitempty"` // what the text cursor did, where the profile has one
	// what is new: by the text, where that decides, else by its place
	Delta     []string       `json:"delta"`
	Verdicts  []control.Step `json:"verdicts"`
	DropStage events.Stage   `json:"drop_stage,omitempty"` // of the last drop, if there is one
}

// Capture is one of a burst.
type Capture struct {
	DelayMS    int64 `json:"delay_ms"` // from the first
	Characters int   `json:"characters"`
	Failed     bool  `json:"failed,omitempty"` // it could not be read and had no vote
}

// Record tells what became of the newest frame of a window, false if there is none
// or it is not to be read.
func (s *Windows) Record(id messages.WindowID) (Record, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.windows[id]
	if w == nil || w.hidden {
		return Record{}, false
	}
	rec := w.record()
	rec.Verdicts = slices.Clone(rec.Verdicts)
	return rec, true
}

// record tells a window. The caller holds the lock, or has a copy.
func (w *window) record() Record {
	r := w.read
	rec := Record{
		Window: r.Window, At: control.Stamp{Time: r.At}, Trace: w.trace, Hash: fmt.Sprintf("%016x", uint64(r.Hash)),
		Size: r.Size, Scale: r.Scale, Title: r.Title, Name: w.name, Bubbles: r.Bubbles, Marks: r.Marks,
		Read: r.Read, Cached: r.Cached, TookMS: r.Took.Milliseconds(),
		Delta: []string{}, Verdicts: w.steps,
	}
	for _, o := range r.Unread {
		rec.Unread = append(rec.Unread, describe.Omitted(o))
	}
	for _, f := range r.Burst {
		rec.Burst = append(rec.Burst, Capture{f.Delay.Milliseconds(), f.Characters, f.Failed})
	}
	for _, s := range w.steps {
		d := s.Detail
		switch {
		case s.Outcome == events.OutcomeCursor:
			rec.Cursor = s.What
		case s.Stage == events.StageFusion && d.Score > 0:
			rec.Signals, rec.Score, rec.Confidence, rec.Signal, rec.Changed = d.Signals, d.Score,
				d.Confidence, d.Rule, d.Changed
		case s.Stage == events.StageDedup:
			rec.Delta = append(rec.Delta, newBubbles(r.Bubbles, d)...)
		}
		if s.Outcome == events.OutcomeDropped {
			rec.DropStage = s.Stage
		}
	}
	if w.delta != nil {
		rec.Delta = w.delta
	}
	return rec
}

// newBubbles returns the bubbles of a view that the ledger took in by a verdict: the unknown
// ones where it found the view's place, else the lowest.
func newBubbles(bubbles []messages.Bubble, d events.Detail) (list []string) {
	first := 0
	switch {
	case d.Rule == events.RuleReleased || d.Rule == events.RuleOwn || len(d.Occurrences) == 0:
		return nil
	case len(d.Known) == 0:
		first = max(0, len(bubbles)-len(d.Occurrences))
	}
	for i, b := range bubbles {
		if i >= first && b.Side != messages.SideOwn && (i >= len(d.Known) || d.Known[i] == 0) {
			list = append(list, string(b.Text))
		}
	}
	return list
}
