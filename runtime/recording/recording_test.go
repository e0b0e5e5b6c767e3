package recording

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

const win = "line@a"

// shot is a small picture with a spot that moves.
func shot(n int) *image.RGBA {
	img := image.NewRGBA(image.Rect(-3, 5, 61, 45))
	for i := range img.Pix {
		img.Pix[i] = 200
	}
	img.Set(n%60-3, 5+n%40, color.RGBA{uint8(n), 1, 2, 255})
	return img
}

// flight is a recorder under test, its file and its clock.
type flight struct {
	*Recorder
	taps   Taps
	t      *testing.T
	path   string
	keys   *keyring.Ring
	now    time.Time
	hidden bool // what is shown is not to be read
	full   int
}

func newFlight(t *testing.T, limit int64) *flight {
	f := &flight{t: t, path: filepath.Join(t.TempDir(), "a.flight"), keys: keyring.Memory(nil),
		now: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)}
	rec, err := New(Options{Path: f.path, Windows: []string{"line"}, Limit: limit, Full: func() { f.full++ }})
	if err != nil {
		t.Fatal(err)
	}
	f.Recorder = rec
	f.taps.Use(rec)
	if err := f.taps.Begin(f.host()); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *flight) host() Host {
	cfg := config.Default()
	cfg.Node = "a"
	return Host{Config: cfg, Keys: f.keys, Now: func() time.Time { return f.now },
		Shaded: func(m events.FrameSeen) (events.FrameSeen, bool) { return m, !f.hidden }}
}

// Capture implements [hardware.Screen]: the picture shows the second of the clock.
func (f *flight) Capture(context.Context, string) (hardware.Capture, error) {
	return hardware.Capture{Image: shot(f.now.Second()), Scale: 1}, nil
}

// shows captures a frame, has something read in it, and says whose it is, "" for nobody.
func (f *flight) shows(c messages.ConversationID, text messages.Text) {
	f.now = f.now.Add(time.Second)
	at := f.now
	_, _ = f.taps.Screen(win, f).Capture(f.t.Context(), "")
	f.put(win, Entry{Kind: Reading, At: f.Recorder.now(), Key: string(text),
		Data: plain([]messages.Line{{Text: text}})}, nil)
	trace := at.String()
	f.Listen(engine.Published{Trace: trace, At: f.now, Message: events.FrameSeen{Read: messages.FrameRead{Window: win,
		At: at}}})
	if c != "" {
		f.Listen(engine.Published{Trace: trace, At: f.now, Message: events.Passed{Verdict: events.Verdict{
			Actor: "fusion/" + win, Stage: events.StageFusion, Outcome: events.OutcomePassed,
			Detail: events.Detail{Window: win, Conversation: c}}}})
	}
}

func (f *flight) Windows(context.Context) ([]hardware.Window, error) { return nil, nil }

func (f *flight) raw() []byte {
	f.t.Helper()
	raw, err := os.ReadFile(f.path)
	if err != nil {
		f.t.Fatal(err)
	}
	return raw
}

func (f *flight) open(raw []byte) (*Recording, error) {
	return Open(bytes.NewReader(raw), int64(len(raw)), f.keys)
}

// told are the texts that a recording still tells.
func told(r *Recording) (texts []string) {
	for _, e := range r.Entries {
		if e.Kind == Reading {
			texts = append(texts, e.Key)
		}
	}
	return texts
}

// pictures opens all frames.
func pictures(t *testing.T, r *Recording) (list []*image.RGBA) {
	t.Helper()
	for i, e := range r.Entries {
		if e.Kind != Frame {
			continue
		}
		img, err := r.Picture(i)
		if err != nil {
			t.Fatalf("Picture(%d) = %v", i, err)
		}
		list = append(list, img)
	}
	return list
}

func TestFramesAreKeptAsDifferences(t *testing.T) {
	f := newFlight(t, 0)
	var want []*image.RGBA
	for n := range 2*maxDeltas + 3 {
		f.shows([]messages.ConversationID{"c-1", "c-2"}[n/50%2], "hello")
		want = append(want, shot(f.now.Second()))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := f.open(f.raw())
	if err != nil || rec.Torn || rec.Closed > 0 {
		t.Fatalf("Open() = %+v, %v", rec, err)
	}
	got := pictures(t, rec)
	for i := range want {
		if !same(got[i], want[i]) {
			t.Errorf("frame %d differs from what was captured", i)
		}
	}
	if last := rec.Entries[len(rec.Entries)-1]; last.Kind != Finished || len(got) != len(want) {
		t.Errorf("%d frames and then %s, want %d and the end", len(got), last.Kind, len(want))
	}
	if got := told(rec); !slices.Equal(got, []string{"hello", "hello"}) {
		t.Errorf("readings %v, want one for each conversation", got)
	}
}

// TestForgetting: what showed a conversation is gone with its key, what nobody can tell with the key of
// any, and what is not to be read was never there.
func TestForgetting(t *testing.T) {
	const other, text = "another conversation", "another text"
	f := newFlight(t, 0)
	f.shows("c-1", "one")
	f.shows(other, text) // long enough not to stand among random bytes
	f.shows("", "whose")
	f.hidden = true
	f.shows("c-3", "hidden")
	f.hidden = false
	f.shows("c-1", "again")
	if err := errors.Join(f.keys.Destroy("c-1"), f.keys.Destroy(Unknown)); err != nil {
		t.Fatal(err)
	}
	f.Forgotten()
	f.shows("c-1", "one")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := f.open(f.raw())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(rec), []string{text, "one"}; !slices.Equal(got, want) || rec.Closed == 0 {
		t.Errorf("%d closed entries, readings %v, want %v", rec.Closed, got, want)
	}
	if got := pictures(t, rec); len(got) != 2 {
		t.Errorf("%d frames, want 2", len(got))
	}
	if raw := f.raw(); bytes.Contains(raw, []byte(text)) || bytes.Contains(raw, []byte(other)) {
		t.Error("the file tells without keys what was read, or whose it is")
	}
	if _, err := Open(bytes.NewReader(f.raw()), int64(len(f.raw())), keyring.Memory(nil)); err == nil {
		t.Error("Open() with other keys = nil, want an error")
	}
}

// TestForgettingANeighbour: a conversation that stands in a list beside the one on show is gone from the
// pictures too once it is forgotten, while what was decided about others is kept.
func TestForgettingANeighbour(t *testing.T) {
	f := newFlight(t, 0)
	f.shows("c-1", "one and what c-2 has written last")
	f.put(win, Entry{Kind: Rows, At: f.Recorder.now(), Data: plain([]string{"c-1", "c-2: what it has written"})}, nil)
	f.shows("c-1", "one")
	for _, subject := range Anybody() { // as with any conversation that is forgotten
		if err := f.keys.Destroy(subject); err != nil {
			t.Fatal(err)
		}
	}
	f.Forgotten()
	f.shows("c-1", "later")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	rec, err := f.open(f.raw())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := told(rec), []string{"later"}; !slices.Equal(got, want) {
		t.Errorf("after a neighbour was forgotten the readings %q open, want %q", got, want)
	}
	if got := pictures(t, rec); len(got) != 1 || !same(got[0], shot(f.now.Second())) {
		t.Errorf("%d frames open, want that of after", len(got))
	}
	decided := 0
	for _, e := range rec.Entries {
		if e.Kind == Rows {
			t.Error("what the tree of the window had still opens")
		}
		if e.Kind == Decided {
			decided++
		}
	}
	if decided != 3 {
		t.Errorf("%d decisions about the other one are left, want all 3", decided)
	}
}

// TestKilled: what is whole in the file is read, wherever it was cut off.
func TestKilled(t *testing.T) {
	f := newFlight(t, 0)
	for range 4 {
		f.shows("c-1", "hello")
	}
	raw := f.raw() // nothing was closed
	before := -1
	for n := len(raw); n > int(headBytes); n -= 61 {
		rec, err := f.open(raw[:n])
		if err != nil {
			if !errors.Is(err, ErrFormat) || before > 0 {
				t.Fatalf("Open(%d of %d bytes) = %v after %d entries", n, len(raw), err, before)
			}
			continue // not even the head
		}
		if n == len(raw) && (rec.Torn || len(rec.Entries) == 0) {
			t.Errorf("Open(whole) = %d entries, torn %v", len(rec.Entries), rec.Torn)
		}
		if before >= 0 && len(rec.Entries) > before {
			t.Errorf("Open(%d bytes) has %d entries, more than a longer file", n, len(rec.Entries))
		}
		before = len(rec.Entries)
		pictures(t, rec)
	}
}

func TestRecordingIsBounded(t *testing.T) {
	const limit = 40_000
	f := newFlight(t, limit)
	for range 300 {
		f.shows("c-1", messages.Text(bytes.Repeat([]byte("a"), f.now.Second())))
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n := len(f.raw()); n < limit || n > limit+4000 || f.full != 1 || !f.State().Full {
		t.Errorf("%d bytes, told %d times, %+v, want about %d, once", n, f.full, f.State(), limit)
	}
	if rec, err := f.open(f.raw()); err != nil || rec.Torn {
		t.Errorf("Open() = %v, want all that fits", err)
	}
}

func FuzzOpen(f *testing.F) {
	var out bytes.Buffer
	w, err := newWriter(&out, nil)
	if err != nil {
		f.Fatal(err)
	}
	for _, e := range []Entry{{Kind: Head, Data: plain(Header{Began: time.Unix(1, 0)})},
		{Kind: Frame, Window: win, pixels: Delta(nil, shot(1))},
		{Kind: Frame, Window: win, Base: 1, pixels: Delta(shot(1), shot(2))},
		{Kind: Frame, Window: win, Base: 2, Same: true}} {
		if err := w.add(e, ""); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		rec, err := Open(bytes.NewReader(raw), int64(len(raw)), nil)
		if err != nil {
			return
		}
		for i, e := range rec.Entries {
			if e.Kind == Frame {
				if img, err := rec.Picture(i); err == nil && img.Rect.Empty() {
					t.Errorf("Picture(%d) is empty", i)
				}
			}
		}
	})
}

// polls captures a window that does not change: nobody reads it again.
func (f *flight) polls(n int) {
	for range n {
		f.now = f.now.Add(250 * time.Millisecond)
		_, _ = f.taps.Screen(win, f).Capture(f.t.Context(), "")
	}
}

// readable is how many frames of the file open.
func (f *flight) readable() (n int) {
	f.t.Helper()
	rec, err := f.open(f.raw())
	if err != nil {
		f.t.Fatal(err)
	}
	for i, e := range rec.Entries {
		if e.Kind != Frame {
			continue
		}
		if _, err := rec.Picture(i); err == nil {
			n++
		}
	}
	return n
}

// What stands in a window before another conversation is shown is sealed for the one it shows.
func TestASwitchGivesAwayNothing(t *testing.T) {
	f := newFlight(t, 0)
	f.shows("c-A", "secret of A")
	f.polls(8)
	f.shows("c-B", "hello B")
	if err := errors.Join(f.Close(), f.keys.Destroy("c-A"), f.keys.Destroy(Unknown)); err != nil {
		t.Fatal(err)
	}
	if n := f.readable(); n != 1 {
		t.Errorf("%d frames open without the key of A, want the one of B", n)
	}

	f = newFlight(t, 0)
	f.hidden = true
	f.shows("", "not to be read")
	f.polls(8)
	f.hidden = false
	f.shows("c-B", "hello B")
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if n := f.readable(); n != 1 {
		t.Errorf("%d frames are kept beside a conversation that is not read, want the one of B", n)
	}
}

// A file that makes a frame of very many others is refused.
func TestLongChains(t *testing.T) {
	var b bytes.Buffer
	w, err := newWriter(&b, nil)
	if err != nil {
		t.Fatal(err)
	}
	var cfg strings.Builder
	config.Default().Write(&cfg)
	w.add(Entry{Kind: Head, Data: plain(Header{Version: "x", Began: time.Now(), Windows: []string{"line"},
		Config: cfg.String()})}, "")
	w.add(Entry{Kind: Frame, Window: "l", Scale: 1, pixels: Delta(nil, shot(1))}, "")
	for i := range uint64(3000) {
		w.add(Entry{Kind: Frame, Window: "l", Base: i + 1, Same: true}, "")
	}
	if _, err := Open(bytes.NewReader(b.Bytes()), int64(b.Len()), nil); !errors.Is(err, ErrFormat) {
		t.Errorf("Open = %v, want %v", err, ErrFormat)
	}
}

// TestTurns: when the turns began of what the windows' conversations are decided by, and of no other one.
func TestTurns(t *testing.T) {
	f := newFlight(t, 0)
	f.shows("hana", "hi")
	for _, self := range []messages.Address{"fusion/" + win, "directory/line", "dedup/hana", "dedup/ren",
		"fusion/other@a"} {
		f.Recorder.turn(self, f.now, messages.FrameRead{}.MessageType())
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r, err := f.open(f.raw())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range r.Entries {
		if e.Kind == Turn && e.At == time.Second {
			got = append(got, e.Name+" "+e.Key)
		}
	}
	want := []string{"fusion/" + win + " frame_read.v1", "directory/line frame_read.v1", "dedup/hana frame_read.v1"}
	if !slices.Equal(got, want) {
		t.Errorf("turns in the recording = %q, want %q", got, want)
	}
}
