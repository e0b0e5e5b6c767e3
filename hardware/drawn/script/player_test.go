package script

import (
	"bytes"
	"errors"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
)

// stage is a window with a player and a clock that the test moves.
type stage struct {
	*testing.T
	script Script
	opt    Options
	win    drawn.Options
	now    time.Time

	window *drawn.Window
	player *Player
}

func newStage(t *testing.T, script string) *stage {
	t.Helper()
	s, err := Parse(strings.NewReader(script))
	if err != nil {
		t.Fatalf("Parse() = %v, want a script", err)
	}
	st := &stage{T: t, script: s, now: time.Date(2026, 10, 2, 14, 0, 0, 0, time.UTC)}
	st.opt.Speed = 1
	st.win = drawn.DefaultOptions(func() time.Time { return st.now })
	st.win.Journal, st.win.Conversation = filepath.Join(t.TempDir(), "w.jsonl"), s.Conversation()
	return st
}

// open starts the window and its player, again after a kill.
func (s *stage) open() {
	s.Helper()
	w, err := drawn.New(s.win)
	if err != nil {
		s.Fatalf("New() = %v, want a window", err)
	}
	s.Cleanup(func() { _ = w.Close() })
	p, err := Play(w, s.script, s.opt)
	if err != nil {
		s.Fatalf("Play() = %v, want a player", err)
	}
	s.window, s.player = w, p
}

// after captures once when d has passed.
func (s *stage) after(d time.Duration) *image.RGBA {
	s.Helper()
	s.now = s.now.Add(d)
	c, err := s.window.Capture(s.Context())
	if err != nil && !errors.Is(err, hardware.ErrMinimised) {
		s.Fatalf("Capture() = %v, want a picture", err)
	}
	return c.Image
}

// finish captures at an interval until the script has ended.
func (s *stage) finish(every time.Duration) {
	s.Helper()
	for range 5000 {
		if s.after(every); s.player.Stats().Done {
			s.after(every)
			return
		}
	}
	s.Fatalf("the script stands at %+v after 5000 captures, want its end", s.player.Stats())
}

func (s *stage) said(who drawn.Who) (out []string) {
	for _, e := range s.script.Events {
		if e.Do == "" && e.Who == who {
			out = append(out, string(e.Text))
		}
	}
	return out
}

func (s *stage) truth() (out []string) {
	for _, seen := range s.window.Truth() {
		out = append(out, string(seen.Text))
	}
	return out
}

// TestEveryMessageIsShown plays the default chat with fast and slow readers.
func TestEveryMessageIsShown(t *testing.T) {
	for _, c := range []struct {
		name  string
		every time.Duration
		speed float64
		waits bool
	}{
		{"each second", time.Second, 1, false},
		{"fast forward", time.Second, 60, true},
		{"a capture a minute", time.Minute, 1, true},
		{"all at once", time.Hour, 1, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStage(t, defaultScript)
			s.opt.Speed = c.speed
			s.open()
			s.finish(c.every)
			if got, want := s.truth(), s.said(drawn.Friend); !slices.Equal(got, want) {
				t.Errorf("Truth() = %q, want %q", got, want)
			}
			st := s.player.Stats()
			if st.Messages != len(s.script.Events)-1 || st.Next != len(s.script.Events) {
				t.Errorf("Stats() = %+v, want all %d messages", st, len(s.script.Events)-1)
			}
			if (st.Waits > 0) != c.waits {
				t.Errorf("Stats().Waits = %d, want some: %v", st.Waits, c.waits)
			}
		})
	}
}

// TestNobodyWaits: unless the script says so, nobody waits for the reader.
func TestNobodyWaits(t *testing.T) {
	for _, pace := range []string{"", `{"at_ms":0,"do":"pace","pace":"reader"}
{"at_ms":0,"do":"pace","pace":"free"}
`} {
		s := newStage(t, pace+hello+strings.Repeat(hello, 30))
		s.open()
		s.after(0)
		s.after(time.Second)
		if st := s.player.Stats(); !st.Done || st.Waits != 0 || len(s.truth()) >= 31 {
			t.Errorf("30 messages at once after %q: %+v, %d seen; want all, without a wait, and not all seen",
				pace, st, len(s.truth()))
		}
	}
}

// TestWaitingHoldsScriptTime: the pause after a wait is as long as in the script.
func TestWaitingHoldsScriptTime(t *testing.T) {
	s := newStage(t, `{"at_ms":0,"do":"pace","pace":"reader"}`+"\n"+hello+
		strings.Repeat(strings.ReplaceAll(hello, `:0,`, `:10,`), 30)+`{"at_ms":5000,"who":"friend","text":"late"}`)
	s.open()
	s.after(0)
	for s.player.Stats().Next < 32 {
		s.after(time.Hour)
	}
	if s.player.Stats().Waits == 0 {
		t.Fatal("30 messages at once never waited, want them to")
	}
	s.after(4 * time.Second)
	if st := s.player.Stats(); st.Done {
		t.Errorf("Stats() = %+v 4 s after the burst, want one message to come", st)
	}
	if s.after(time.Second); !s.player.Stats().Done {
		t.Errorf("Stats() = %+v 5 s after the burst, want the end", s.player.Stats())
	}
}

// TestKilledAnywhere drops window and player after every capture. The picture stays
// the same, script time stops while nothing runs, and each message appears once.
func TestKilledAnywhere(t *testing.T) {
	s := newStage(t, defaultScript)
	var seen []string
	for range 1000 {
		s.open()
		s.after(0)
		s.after(6 * time.Second)
		last := s.after(0)
		for _, text := range s.truth() {
			if !slices.Contains(seen, text) {
				seen = append(seen, text)
			}
		}
		if s.player.Stats().Done {
			break
		}
		s.now = s.now.Add(time.Hour)
		s.open()
		if again := s.after(0); !bytes.Equal(again.Pix, last.Pix) {
			t.Fatal("the window looks different after a kill, want the same pixels")
		}
	}
	if !s.player.Stats().Done {
		t.Fatalf("Stats() = %+v, want the end", s.player.Stats())
	}
	want := slices.DeleteFunc(s.said(drawn.Friend), func(x string) bool { return x == "OK" })
	got := slices.DeleteFunc(seen, func(x string) bool { return x == "OK" })
	if !slices.Equal(got, want) {
		t.Errorf("shown over all lives = %q, want %q", got, want)
	}
	for _, n := range []drawn.Who{drawn.Friend, drawn.Me} {
		count := 0
		for j := range s.script.Events {
			if _, ok := s.window.FromScript("Hana", j); ok && s.script.Events[j].Who == n {
				count++
			}
		}
		if want := len(s.said(n)); count != want {
			t.Errorf("%d messages of %s on the window, want %d", count, n, want)
		}
	}
}

// TestTimeIsKeptInLongPauses: runs shorter than a pause still reach its end.
func TestTimeIsKeptInLongPauses(t *testing.T) {
	s := newStage(t, hello+`{"at_ms":60000,"who":"friend","text":"late"}`)
	for range 12 {
		s.open()
		s.after(0)
		s.after(6 * time.Second)
	}
	if st := s.player.Stats(); !st.Done {
		t.Errorf("Stats() = %+v after ten lives of 6 s, want the message of second 60", st)
	}
}

func TestHostVerbs(t *testing.T) {
	s := newStage(t, hello+`{"at_ms":10,"do":"crash"}
{"at_ms":10,"do":"send","text":"hi"}
{"at_ms":10,"do":"restart"}
{"at_ms":10,"do":"reset_baseline"}`)
	w, err := drawn.New(s.win)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Play(w, s.script, Options{Speed: 1}); err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("Play(without host) = %v, want an error that names line 2", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var got []Verb
	s.opt.Host = func(e Event) {
		got = append(got, e.Do)
		if e.Do == Send { // a host may use the window
			if err := s.window.Send(e.Text); err != nil {
				t.Errorf("Send() = %v, want nil", err)
			}
		}
		if pos := s.window.Script().Next; pos != 1+len(got) {
			t.Errorf("at %s the journal has position %d, want %d", e.Do, pos, 1+len(got))
		}
	}
	for life := range 3 { // each verb ends its step; a new life does not repeat it
		s.open()
		s.after(0)
		s.after(10 * time.Millisecond)
		if want := min(1+2*life, 4); len(got) != want {
			t.Errorf("host was given %d verbs in %d lives, want %d", len(got), life+1, want)
		}
	}
	if want := []Verb{Crash, Send, Restart, ResetBaseline}; !slices.Equal(got, want) {
		t.Errorf("host was given %q, want %q", got, want)
	}
}

func TestWindowVerbs(t *testing.T) {
	s := newStage(t, hello+`{"at_ms":0,"who":"me","text":"mine","conversation":"Ren"}
{"at_ms":0,"who":"friend","text":"wrong","conversation":"Hana"}
{"at_ms":1000,"do":"edit","index":1,"text":"right"}
{"at_ms":2000,"do":"unsend","index":0}
{"at_ms":3000,"do":"type","text":"dra"}
{"at_ms":4000,"do":"switch","conversation":"Ren"}
{"at_ms":5000,"do":"resize","to":[300,400]}
{"at_ms":6000,"do":"hide"}
{"at_ms":7000,"do":"show"}
{"at_ms":8000,"do":"rerender"}`)
	s.open()
	before := s.after(0)
	for i, want := range []func() bool{
		func() bool { return true }, func() bool { return true },
		func() bool { return s.window.Draft() == "dra" },
		func() bool { return s.window.Title() == "Ren" },
		func() bool { return s.after(0).Rect.Dx() == 300 },
		func() bool { return s.after(0) == nil },
		func() bool { return s.after(0) != nil },
		func() bool { return true },
	} {
		now := s.after(time.Second)
		if !want() {
			t.Errorf("action %d has not happened", i)
		}
		if now != nil && before != nil && bytes.Equal(now.Pix, before.Pix) {
			t.Errorf("action %d changed no pixel", i)
		}
		before = now
	}
	if got, want := s.truth(), []string{"hello", "wrong"}; !slices.Equal(got, want) {
		t.Errorf("Truth() = %q, want %q", got, want)
	}
	if st := s.player.Stats(); !st.Done || st.Actions != 8 || st.Messages != 3 {
		t.Errorf("Stats() = %+v, want 3 messages and 8 actions", st)
	}
}

// TestEditAfterAnotherScript counts only the messages of its own script.
func TestEditAfterAnotherScript(t *testing.T) {
	s := newStage(t, hello+strings.ReplaceAll(hello, "hello", "again"))
	s.open()
	s.finish(time.Second)
	next, err := Parse(strings.NewReader(strings.ReplaceAll(hello, "hello", "other") +
		`{"at_ms":0,"do":"edit","index":0,"text":"edited"}`))
	if err != nil {
		t.Fatal(err)
	}
	s.script = next
	s.open()
	s.finish(time.Second)
	if i, ok := s.window.FromScript("Hana", 0); i != 2 || !ok {
		t.Errorf("FromScript(0) = %d, %v, want the third message", i, ok)
	}
	if got, want := s.truth(), []string{"hello", "again", "edited"}; !slices.Equal(got, want) {
		t.Errorf("Truth() = %q, want %q", got, want)
	}
}

func TestSpeedRefused(t *testing.T) {
	w, err := drawn.New(drawn.DefaultOptions(time.Now))
	if err != nil {
		t.Fatal(err)
	}
	for _, speed := range []float64{0, -1, 2e6} {
		if _, err := Play(w, Script{}, Options{Speed: speed}); err == nil {
			t.Errorf("Play(speed %v) = nil, want an error", speed)
		}
	}
}

// TestConcurrentCaptures: several readers drive one player.
func TestConcurrentCaptures(t *testing.T) {
	s := newStage(t, defaultScript)
	var mu sync.Mutex
	s.win.Now = func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		s.now = s.now.Add(200 * time.Millisecond)
		return s.now
	}
	s.open()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !s.player.Stats().Done {
				if _, err := s.window.Capture(t.Context()); err != nil {
					t.Errorf("Capture() = %v, want a picture", err)
					return
				}
			}
		})
	}
	wg.Wait()
	s.after(0)
	if got, want := s.truth(), s.said(drawn.Friend); !slices.Equal(got, want) {
		t.Errorf("Truth() = %q, want %q", got, want)
	}
}
