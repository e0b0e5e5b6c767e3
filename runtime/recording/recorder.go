package recording

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// DefaultLimit bounds a recording, in bytes.
const DefaultLimit = 500e6

// Options of a [Recorder].
type Options struct {
	Path    string   // of a new file, in a directory that is closed to others
	Windows []string // their names; only these are recorded
	Limit   int64    // in bytes; 0 is [DefaultLimit]
	// For is how long it lasts, 0 until it is closed.
	For     time.Duration
	Version string // of Kehai
	// Redacted says that texts and pictures are not those of a person.
	Redacted bool
	Full     func() // is called once nothing more is kept; it must not block
}

// Bounds of what waits until it is known whose it is.
const (
	maxWaiting  = 32
	longWaiting = 10 * time.Second
	maxDeltas   = 64 // in a row, before a frame is kept whole
)

// Recorder writes a recording of what [Taps] give it. Its methods may be called concurrently.
type Recorder struct {
	o Options

	mu      sync.Mutex
	host    Host
	file    *os.File
	out     *writer
	began   time.Time
	err     error
	full    bool
	windows map[string]*window           // by id
	shown   map[string]map[string][]byte // readings in the file, by subject and pixels
	talks   map[string]bool              // conversations that these windows have shown
}

// Host is what a recorder needs of the runtime.
type Host struct {
	Config config.Config
	Keys   engine.Sealer // nil: nothing is sealed
	Now    func() time.Time
	Shaded func(events.FrameSeen) (events.FrameSeen, bool) // false: it is not to be read
}

// window is what is known of one that is recorded.
type window struct {
	waiting []waits
	read    string // the trace of the frame that was read last, "" once it is known whose it is
	until   time.Duration
	kept    *image.RGBA // the newest picture in the file
	number  uint64      // of its record
	subject string      // whose it is
	deltas  int
	last    string      // whose the frame was that was read before, also [hidden]
	shot    *image.RGBA // that frame
}

// waits is an entry whose conversation is not known yet.
type waits struct {
	Entry
	img *image.RGBA
}

// New opens the file of a recording. Nothing is written before Begin.
func New(o Options) (*Recorder, error) {
	if o.Limit == 0 {
		o.Limit = DefaultLimit
	}
	if err := private.Make(filepath.Dir(o.Path), private.Unwritable); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(o.Path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	return &Recorder{o: o, file: f, windows: map[string]*window{}, talks: map[string]bool{},
		shown: map[string]map[string][]byte{}}, nil
}

// Begin writes the head, before anything is captured.
func (r *Recorder) Begin(h Host) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		return errors.New("recording: a recording holds one run")
	}
	r.host, r.began = h, h.Now()
	for _, name := range r.o.Windows {
		r.windows[name+"@"+h.Config.Node] = &window{}
	}
	var settings strings.Builder
	err := h.Config.Write(&settings)
	if err != nil {
		return err
	}
	if r.out, err = newWriter(r.file, h.Keys); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return r.out.add(Entry{Kind: Head, Data: plain(Header{Version: r.o.Version, Began: r.began, Windows: r.o.Windows,
		Redacted: r.o.Redacted, Config: uncommented(settings.String())})}, "")
}

// uncommented leaves out the lines that explain.
func uncommented(yaml string) string {
	var out strings.Builder
	for line := range strings.Lines(yaml) {
		if text := strings.TrimSpace(line); text != "" && text[0] != '#' {
			out.WriteString(line)
		}
	}
	return out.String()
}

// Close writes what waits, and ends the file.
func (r *Recorder) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out != nil {
		for _, w := range r.windows {
			r.settle(w, len(w.waiting), Unknown)
		}
		r.add(Entry{Kind: Finished, At: r.since()}, "")
		r.out = nil // a call that began before comes too late
	}
	return errors.Join(r.err, r.file.Sync(), r.file.Close())
}

// State is what a recorder does now.
type State struct {
	Path    string
	Windows []string
	Since   time.Time
	Bytes   int64
	Limit   int64
	Full    bool // or nothing more can be written
}

// State tells it.
func (r *Recorder) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := State{Path: r.o.Path, Windows: r.o.Windows, Since: r.began, Limit: r.o.Limit, Full: r.full}
	if r.out != nil {
		s.Bytes = r.out.size
	}
	return s
}

func (r *Recorder) since() time.Duration { return r.host.Now().Sub(r.began) }

// plain is JSON of plain data.
func plain(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // only types of this package and messages come here: a mistake of the program
	}
	return raw
}

// add writes an entry if there is room. The caller holds the lock.
func (r *Recorder) add(e Entry, subject string) {
	if r.out == nil || r.full {
		return
	}
	err := r.out.add(e, subject)
	if err == nil && r.out.size < r.o.Limit && (r.o.For == 0 || r.since() < r.o.For) {
		return
	}
	r.err, r.full = errors.Join(r.err, err), true
	if r.o.Full != nil {
		r.o.Full()
	}
}

// put takes an entry about a window, which waits until it is known whose it is.
func (r *Recorder) put(id string, e Entry, img *image.RGBA) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := r.windows[id]
	switch {
	case w == nil, r.out == nil:
		return
	case r.full: // it may be long until somebody closes it
		*w = window{}
		return
	}
	e.Window, e.Took = id, r.since()-e.At
	w.waiting = append(w.waiting, waits{e, img})
	old := 0
	for old < len(w.waiting) && (len(w.waiting)-old > maxWaiting || e.At-w.waiting[old].At > longWaiting) {
		old++
	}
	r.settle(w, old, Unknown)
}

// hidden is the subject of what is not kept.
const hidden = "\x00hidden"

// settle writes the first n entries that wait.
func (r *Recorder) settle(w *window, n int, subject string) {
	r.settleAs(w, n, subject, nil)
}

// settleAs is settle once read, the newest frame among them, is known to be of the subject. Others that
// wait may be of the one that was shown before.
func (r *Recorder) settleAs(w *window, n int, of string, read *image.RGBA) {
	for _, e := range w.waiting[:n] {
		subject := w.whose(e, of, read)
		switch {
		case subject == hidden:
		case e.Kind == Frame && e.img != nil:
			r.frame(w, e, subject)
		case e.Kind == Reading && r.known(subject, e.Entry):
		default:
			r.add(e.Entry, subject)
		}
	}
	w.waiting = slices.Delete(w.waiting, 0, n)
}

func (w *window) whose(e waits, of string, read *image.RGBA) string {
	switch {
	case of == hidden, of == w.last:
		return of
	case read != nil && (e.Kind == Reading || e.img != nil && same(e.img, read)):
		return of
	case e.img != nil && w.shot != nil && same(e.img, w.shot):
		return w.last
	case w.last == hidden:
		return hidden
	case e.Kind == Reading:
		return of
	}
	return Unknown
}

// known reports that a reading stands in the file for the same subject; another of the same pixels
// does not count.
func (r *Recorder) known(subject string, e Entry) bool {
	of := r.shown[subject]
	if of == nil {
		of = map[string][]byte{}
		r.shown[subject] = of
	}
	if was, ok := of[e.Key]; ok && string(was) == string(e.Data) {
		return true
	}
	of[e.Key] = e.Data
	return false
}

func (r *Recorder) frame(w *window, e waits, subject string) {
	if w.subject != subject || w.deltas == maxDeltas {
		w.kept, w.number, w.deltas = nil, 0, 0
	}
	e.Base = w.number
	if e.Same = w.kept != nil && same(w.kept, e.img); !e.Same {
		e.pixels = Delta(w.kept, e.img)
	}
	if w.kept != nil && w.kept.Rect != e.img.Rect {
		e.Base = 0
	}
	if r.out != nil && !e.Same {
		w.kept, w.number, w.subject = e.img, r.out.number, subject
		w.deltas++
	}
	r.add(e.Entry, subject)
}

// Forgotten drops what waits, and keeps whole what comes next: keys are being destroyed.
func (r *Recorder) Forgotten() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.shown)
	for _, w := range r.windows {
		r.settle(w, len(w.waiting), hidden)
		w.kept, w.number, w.deltas, w.read, w.shot = nil, 0, 0, "", nil
		if w.last != hidden {
			w.last = ""
		}
	}
}

func same(a, b *image.RGBA) bool {
	return a == b || a.Rect == b.Rect && changed(a, b, a.Rect).Empty()
}

// Listen hears the events of the runtime: what was decided, how long calls took, and which
// conversation a window shows.
func (r *Recorder) Listen(ev engine.Published) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.out == nil || r.full {
		return
	}
	switch m := ev.Message.(type) {
	case events.FrameSeen:
		r.seen(ev.Trace, m)
	case events.Passed:
		r.belongs(ev.Trace, m.Verdict)
	case events.Dropped:
		r.belongs(ev.Trace, m.Verdict)
	case events.CallFinished:
		r.add(Entry{Kind: Call, At: ev.At.Sub(r.began) - m.Took, Took: m.Took, Name: m.Worker.Kind(),
			Window: CallerOf(m.Caller)}, "")
	}
	if d, ok := Decide(ev); ok && (r.talks[d.Conversation] || r.windows[d.Window] != nil) {
		r.add(Entry{Kind: Decided, At: ev.At.Sub(r.began), Data: plain(d)}, cmp.Or(d.Conversation, Unknown))
	}
}

// seen notes which entries belong to a frame that was read.
func (r *Recorder) seen(trace string, m events.FrameSeen) {
	w := r.windows[string(m.Read.Window)]
	if w == nil {
		return
	}
	if w.read != "" { // nobody said whose the one before was
		r.settleUntil(w, Unknown)
	}
	w.read, w.until = trace, m.Read.At.Sub(r.began)
	if _, listed := r.host.Shaded(m); !listed {
		r.settleUntil(w, hidden)
	}
}

// belongs learns whose a frame is.
func (r *Recorder) belongs(trace string, v events.Verdict) {
	w := r.windows[string(v.Detail.Window)]
	if w != nil {
		r.talks[string(v.Detail.Conversation)] = true
	}
	if w != nil && w.read != "" && w.read == trace && v.Detail.Conversation != "" {
		r.settleUntil(w, string(v.Detail.Conversation))
	}
}

// settleUntil writes what belongs to the frame that was read last: captures up to it, and everything
// that was read so far.
func (r *Recorder) settleUntil(w *window, subject string) {
	var later []waits
	var read *image.RGBA
	n := 0
	for _, e := range w.waiting {
		if e.Kind == Frame && e.At > w.until {
			later = append(later, e)
			continue
		}
		if e.img != nil {
			read = e.img
		}
		w.waiting[n] = e
		n++
	}
	w.waiting = append(w.waiting[:n], later...)
	r.settleAs(w, n, subject, read)
	w.read, w.last, w.shot = "", subject, cmp.Or(read, w.shot)
}

// CallerOf names who called, if that is the same in a replay: conversations are not.
func CallerOf(a messages.Address) string {
	switch a.Kind() {
	case messages.ActorPoller, messages.ActorOutbound, messages.ActorStructure, messages.ActorUsage:
		return string(a)
	}
	return a.Kind()
}
