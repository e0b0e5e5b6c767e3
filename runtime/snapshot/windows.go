package snapshot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Windows remembers, in memory alone, what was read last in each window and what
// became of it. It holds nothing of conversations that must not be read. Its
// methods may be called concurrently.
type Windows struct {
	o Options

	files sync.Mutex                     // held while the debugging files are written or deleted
	shows map[messages.WindowID][]string // in the files

	mu      sync.Mutex
	windows map[messages.WindowID]*window
	recent  []control.Step // Drops that no store keeps
	wake    chan struct{}
}

// window is the newest frame of a window that was read.
type window struct {
	read    messages.FrameRead
	frame   messages.Frame // without its image unless that is kept
	name    string         // of the conversation, "" if it is unreadable
	trace   string
	hidden  bool     // it is not to be read: only the window and the time are here
	delta   []string // what its text says that was not said before, where that decides
	steps   []control.Step
	changed bool // since the debugging files were written
	newShot bool // the picture too
}

// Bounds of what is remembered.
const (
	maxRecent = 50
	maxSteps  = 100
)

// Options of [New].
type Options struct {
	Apps   map[messages.WindowID]string // of the windows that are watched
	Only   directory.Only               // the conversations that are read
	Rules  directory.Rules              // by which a title is believed
	Images bool                         // keep the pictures too, for the debugging files
}

// Of returns the options for a configuration.
func Of(cfg config.Config) Options {
	o := Options{Apps: map[messages.WindowID]string{}, Only: cfg.Read.Only, Rules: cfg.Rules.OCR.Rules,
		Images: cfg.Debug.Text}
	for _, w := range cfg.Windows {
		o.Apps[w.ID(cfg.Node)] = w.App
	}
	return o
}

// New returns one that has seen nothing yet.
func New(o Options) *Windows {
	return &Windows{o: o, windows: map[messages.WindowID]*window{}, wake: make(chan struct{}, 1),
		shows: map[messages.WindowID][]string{}}
}

// Listen is a listener of the engine.
func (s *Windows) Listen(ev engine.Published) {
	switch m := ev.Message.(type) {
	case events.FrameSeen:
		s.seen(ev, m)
	case events.CursorTruncation:
		s.verdict(ev, control.Step{Stage: events.StageFusion, Actor: ev.From, Outcome: events.OutcomeCursor,
			What: fmt.Sprintf("%d lines were passed on before, %d are left", m.Discarded, m.Kept)})
	case events.CursorNotFound:
		s.verdict(ev, control.Step{Stage: events.StageFusion, Actor: ev.From, Outcome: events.OutcomeCursor,
			What: fmt.Sprintf("the lines passed on last are not there: all %d go on", m.Lines)})
	case events.Passed:
		s.verdict(ev, control.NewStep(m.Verdict))
	case events.TextDelta:
		s.delta(ev, m)
	case messages.MessageDelivered:
		s.verdict(ev, control.Step{Stage: events.StageConversation, Actor: ev.From, Outcome: events.OutcomeDelivered,
			What: fmt.Sprintf("delivered as message %s", m.ID)})
	case events.Dropped:
		s.verdict(ev, control.NewStep(m.Verdict))
	}
}

func (s *Windows) seen(ev engine.Published, m events.FrameSeen) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := m.Read.Window
	w := &window{name: s.name(m.Read), trace: ev.Trace, changed: true, newShot: true}
	m, listed := s.Shaded(m)
	if w.hidden = !listed; w.hidden {
		w.name = ""
	}
	w.read, w.frame = m.Read, m.Frame
	if !s.o.Images {
		w.frame.Image = nil
	}
	s.windows[id] = w
	s.stir()
}

// Shaded is what may be seen of a frame: without a picture, and without anything
// that was read in it, if its conversation is not to be read. It is the one
// place that decides so, for all that shows or keeps frames.
func (s *Windows) Shaded(m events.FrameSeen) (seen events.FrameSeen, listed bool) {
	if s.o.Only.Allows(s.o.Apps[m.Read.Window], s.name(m.Read)) {
		return m, true
	}
	return events.FrameSeen{Read: messages.FrameRead{Window: m.Read.Window, At: m.Read.At}}, false
}

// name is what a frame calls its conversation.
func (s *Windows) name(read messages.FrameRead) string {
	title, _ := s.o.Rules.Read(read.Title)
	return string(title)
}

// delta notes what a frame's text says that was not said before.
func (s *Windows) delta(ev engine.Published, m events.TextDelta) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.windows[m.Window]; w != nil && w.trace == ev.Trace && !w.hidden {
		w.delta, w.changed = strings.Split(string(m.Text.Text), "\n"), true
		s.stir()
	}
}

func (s *Windows) verdict(ev engine.Published, step control.Step) {
	step.At, step.Trace = control.Stamp{Time: ev.At}, ev.Trace
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.windows {
		if w.trace == ev.Trace && ev.Trace != "" && len(w.steps) < maxSteps {
			w.steps = append(w.steps, step)
			w.changed = true
			s.stir()
		}
	}
	if kind := step.Actor.Kind(); step.Outcome != events.OutcomeDropped ||
		kind != messages.ActorPoller && kind != messages.ActorFusion {
		return
	}
	if n := len(s.recent); n > 0 && s.recent[n-1].Actor == step.Actor && s.recent[n-1].What == step.What {
		step.Count = max(s.recent[n-1].Count, 1) + 1
		s.recent[n-1] = step
		return
	}
	if s.recent = append(s.recent, step); len(s.recent) > maxRecent {
		s.recent = slices.Delete(s.recent, 0, len(s.recent)-maxRecent)
	}
}

// stir wakes the writer of the debugging files. The caller holds the lock.
func (s *Windows) stir() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Text is what stood in a bubble of a conversation. It is private.
type Text struct {
	App, Title string // of the conversation
	Text       string
	At         time.Time // of the capture
}

// Shown lists what stands in the newest frames.
func (s *Windows) Shown() (list []Text) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, w := range s.windows {
		for _, b := range w.read.Bubbles {
			list = append(list, Text{s.o.Apps[id], w.name, string(b.Text), w.read.At})
		}
	}
	return list
}

// Forget drops everything: a frame may show what is to be forgotten, and a drop
// may name it.
func (s *Windows) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.windows)
	s.recent = nil
}

// Drops lists recent drops, oldest first.
func (s *Windows) Drops() []control.Step {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.recent)
}

// Notes says for each window what was read last. They hold nothing that was said.
func (s *Windows) Notes(now time.Time) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(s.o.Apps)) {
		w := s.windows[id]
		switch {
		case w == nil:
			list = append(list, fmt.Sprintf("Window %s has not been read in this run so far.", id))
		case w.name == "" && len(w.read.Bubbles) == 0:
			list = append(list, fmt.Sprintf("Window %s showed something that is not read %s ago.", id,
				ago(now, w.read.At)))
		default:
			list = append(list, fmt.Sprintf("Window %s last changed %s ago; %d bubbles were read.", id,
				ago(now, w.read.At), len(w.read.Bubbles)))
		}
	}
	return list
}

func ago(now, then time.Time) time.Duration { return now.Sub(then).Round(time.Second) }
