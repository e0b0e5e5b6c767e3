package replay

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"slices"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/recording"
)

// tape gives what a recording holds, in place of drivers and a model. What was asked for at a moment
// gets what was given next, if that was soon, else what was given last.
type tape struct {
	rec *recording.Recording
	now func() time.Duration // since the recording began

	begins, ends time.Duration
	seed         string
	crops        bool              // the engine read from frames, not from prepared pictures
	frames       map[string]*track // by window
	calls        map[string]*track // by worker and caller
	rows         map[string]*track // by window
	used         map[string]*track // by what of the usage
	turns        timetable
	answers      []recording.Entry
	given        map[int]bool // answers
	readings     map[string][]recording.Entry
	decided      []recording.Decision
	unread       int
	missing      int
	redaction    *redaction        // nil: everything is given as it was
	as           map[string]string // what is called otherwise than in the recording
}

// soon is how much later than asked for something may have been given: a machine is slower than
// virtual time.
const soon = 2 * time.Second

// track is what was given of one kind, in order.
type track struct {
	at   []time.Duration
	of   []int // entries
	next int
}

func (t *track) add(at time.Duration, of int) { t.at, t.of = append(t.at, at), append(t.of, of) }

// take returns the entry that was given next after a time, or last; -1 if there is none.
func (t *track) take(now time.Duration) int {
	i := t.find(now)
	if i >= 0 && t.next < len(t.at) && t.of[t.next] == i {
		t.next++
	}
	return i
}

// find is take without taking it.
func (t *track) find(now time.Duration) int {
	if t == nil || len(t.at) == 0 {
		return -1
	}
	for t.next < len(t.at) && t.at[t.next] < now {
		t.next++
	}
	if t.next < len(t.at) && (t.next == 0 || t.at[t.next]-now <= soon) {
		return t.of[t.next]
	}
	return t.of[max(0, t.next-1)]
}

func newTape(rec *recording.Recording) *tape {
	t := &tape{rec: rec, frames: map[string]*track{}, calls: map[string]*track{}, rows: map[string]*track{},
		used: map[string]*track{}, given: map[int]bool{}, readings: map[string][]recording.Entry{}, begins: -1}
	t.turns = timetable{t: t, turns: map[messages.Address][]turnThen{}, is: map[messages.Address]messages.Address{}}
	order := make([]int, len(rec.Entries)) // entries wait in the recorder: they are not in the order of time
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(rec.Entries[a].At, rec.Entries[b].At) })
	for _, i := range order {
		t.take(i)
	}
	t.begins = max(0, t.begins)
	return t
}

func add(to map[string]*track, key string, at time.Duration, i int) {
	if to[key] == nil {
		to[key] = &track{}
	}
	to[key].add(at, i)
}

// take puts an entry where it will be asked for.
func (t *tape) take(i int) {
	e := t.rec.Entries[i]
	t.ends = max(t.ends, e.At)
	switch e.Kind {
	case recording.Seed:
		t.seed = e.Key
	case recording.Turn:
		if t.begins < 0 {
			t.begins = e.At
		}
		t.turns.add(e)
	case recording.Frame:
		if t.begins < 0 {
			t.begins = e.At
		}
		add(t.frames, e.Window, e.At, i)
	case recording.Call:
		if e.Name == messages.WorkerCapture && t.begins < 0 {
			t.begins = e.At
		}
		add(t.calls, e.Name+" "+e.Window, e.At, i)
	case recording.Rows:
		add(t.rows, e.Window, e.At, i)
	case recording.Usage:
		add(t.used, e.Name, e.At, i)
	case recording.Answer:
		t.answers = append(t.answers, e)
	case recording.Reading:
		t.crops = t.crops || e.Name == recording.Crop
		t.readings[e.Key] = append(t.readings[e.Key], e)
	case recording.Decided:
		var d recording.Decision
		if json.Unmarshal(e.Data, &d) == nil {
			t.decided = append(t.decided, d)
		}
	}
}

// ago is an error that a driver gave.
func ago(code string) error {
	if code == "" {
		return nil
	}
	return fmt.Errorf("replay: as it was recorded: %w", cmp.Or(hardware.ErrorOf(code), errRecorded))
}

// Windows implements [hardware.Screen].
func (t *tape) Windows(context.Context) ([]hardware.Window, error) { return nil, nil }

// Capture implements [hardware.Screen].
func (t *tape) Capture(_ context.Context, window string) (hardware.Capture, error) {
	i := t.frames[t.was(window)].take(t.now())
	if i < 0 {
		return hardware.Capture{}, ago(messages.CodeWindowGone)
	}
	e := t.rec.Entries[i]
	if e.Code != "" {
		return hardware.Capture{}, ago(e.Code)
	}
	img, err := t.rec.Picture(i)
	if err != nil {
		t.missing++
		return hardware.Capture{}, fmt.Errorf("%w: %w", err, hardware.ErrMinimised)
	}
	if t.redaction != nil {
		img = t.redaction.captured(t.rec.Shown(i), img, e.Scale)
	}
	return hardware.Capture{Image: img, Scale: e.Scale}, nil
}

// wait is how long a call takes: until the answer came when it was recorded. A capture begins when it did then,
// since a frame has its time.
func (t *tape) wait(job *engine.Job) (begin, took time.Duration) {
	now := t.now()
	if ask, ok := job.Request.(messages.CaptureWindow); ok {
		if i := t.frames[t.was(string(ask.Window))].find(now); i >= 0 {
			begin = max(0, t.rec.Entries[i].At-now)
		}
	}
	i := t.calls[job.Worker+" "+t.was(recording.CallerOf(job.Caller))].take(now)
	if i < 0 {
		return begin, 0
	}
	e := t.rec.Entries[i]
	if e.At < now { // long ago: as slow as then
		return begin, e.Took
	}
	return begin, max(0, e.At+e.Took-now-begin)
}

// was is what something was called in the recording.
func (t *tape) was(name string) string { return cmp.Or(t.as[name], name) }

type tapeReader struct{ t *tape }

type tapeCrops struct{ tapeReader }

func (t *tape) recognizer() hardware.Recognizer {
	if t.crops || t.redaction.draws() {
		return tapeCrops{tapeReader{t}}
	}
	return tapeReader{t}
}

// Recognize implements [hardware.Recognizer].
func (r tapeReader) Recognize(_ context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	return r.t.read(recording.GrayKey(img, hint), image.Point{})
}

// Close implements [hardware.Recognizer].
func (tapeReader) Close() error { return nil }

// RecognizeCrop implements [hardware.CropRecognizer].
func (r tapeCrops) RecognizeCrop(_ context.Context, frame *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	if r.t.redaction.draws() {
		return r.t.redaction.read(frame, box), nil
	}
	lines, err := r.t.read(recording.CropKey(frame, box, hint), box.Min)
	if r.t.redaction != nil {
		r.t.redaction.learnFrame(frame, lines)
	}
	return lines, err
}

// read gives what the engine read in the same pixels; if that was not always the same, in turn.
func (t *tape) read(key string, corner image.Point) (lines []messages.Line, err error) {
	list := t.readings[key]
	if len(list) == 0 {
		t.unread++
		return nil, nil
	}
	if len(list) > 1 && list[1].At <= t.now()+soon {
		t.readings[key] = list[1:]
	}
	if list[0].Code != "" {
		return nil, ago(list[0].Code)
	}
	if err := json.Unmarshal(list[0].Data, &lines); err != nil {
		return nil, err
	}
	return recording.Moved(lines, corner), nil
}
