package runtime_test

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

func profile(name string) testkit.Option {
	return testkit.WithConfig(func(c *config.Config) { c.SetProfile(name) })
}

// sides makes every bubble that is read one of a side, as where own bubbles can
// no longer be told by their colour.
func sides(side messages.Side) testkit.Option {
	return testkit.WithRuntime(runtime.WithWorkerWrapper(func(kind string, w actors.Worker) actors.Worker {
		if kind != "ocr" {
			return w
		}
		return actors.WorkerFunc(func(ctx context.Context, ask messages.Message) (messages.Message, error) {
			answer, err := w.Do(ctx, ask)
			if read, ok := answer.(messages.FrameRead); ok {
				read.Bubbles = slices.Clone(read.Bubbles)
				for i := range read.Bubbles {
					read.Bubbles[i].Side = side
				}
				answer = read
			}
			return answer, err
		})
	}))
}

// delivered are the texts that came out, one a line.
func delivered(s *testkit.System) []string {
	var out []string
	for _, m := range s.Messages() {
		for _, p := range m.Parts {
			out = append(out, strings.Split(string(p.Text), "\n")...)
		}
	}
	return out
}

// TestOwnMessagesNeverComeOut even where nothing tells the sides apart: what was
// sent is known by its text. Without any side evidence profile default passes
// nothing on; where every bubble looks like the friend's, both profiles pass on
// the friend's.
func TestOwnMessagesNeverComeOut(t *testing.T) {
	friend := []string{"明日の会議は何時からですか", "場所はいつもの部屋ですか", "わかりました、ありがとうございます"}
	own := []string{"十時からの予定です", "三階の会議室に変わりました", "また明日お会いしましょう"}
	for _, c := range []struct {
		profile string
		side    messages.Side
		hears   bool
	}{
		{config.ProfileDefault, messages.SideIncoming, true},
		{config.ProfileDefault, messages.SideNeither, false},
		{config.ProfileSeed, messages.SideIncoming, true},
		{config.ProfileSeed, messages.SideNeither, true},
	} {
		t.Run(c.profile+" "+string(c.side), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, profile(c.profile), sides(c.side))
				for i := range friend {
					s.Friend("Hana", friend[i])
					s.Advance(15 * time.Second)
					if err := s.Runtime.Sending(t.Context(), "line:Hana", messages.Text(own[i]), own[i]); err != nil {
						t.Fatal(err)
					}
					s.Advance(2 * time.Second) // typing
					s.Me("Hana", own[i])
					s.Advance(15 * time.Second)
					if i == 1 {
						s.Crash()
						s.Advance(15 * time.Second)
					}
				}
				s.Advance(5 * time.Minute) // longer than anything is remembered
				s.Friend("Hana", "最後にもう一つ質問があります")
				s.Advance(30 * time.Second)
				got := delivered(s)
				for _, text := range own {
					if slices.Contains(got, text) {
						t.Errorf("delivered %q, want no own message", got)
					}
				}
				want := append(slices.Clone(friend), "最後にもう一つ質問があります")
				if c.hears && !slices.Equal(got, want) {
					t.Errorf("delivered %q, want %q", got, want)
				}
				if !c.hears && len(got) > 0 {
					t.Errorf("delivered %q, want nothing without evidence of a side", got)
				}
			})
		})
	}
}

// TestProfilesPart is what the two profiles make of the same chat.
func TestProfilesPart(t *testing.T) {
	for name, want := range map[string][]string{
		config.ProfileDefault: {"おはようございます", "OK", "OK", "おはようございます", "はい", "明日の予定は？"},
		// A returned greeting is an echo for ten minutes, a second OK within 20 s is a
		// duplicate, and はい is too short to be new.
		config.ProfileSeed: {"おはようございます", "明日の予定は？"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, profile(name))
				say := func(text string) {
					s.Friend("Hana", text)
					s.Advance(5 * time.Second)
				}
				say("おはようございます")
				say("OK")
				say("OK")
				if err := s.Runtime.Sending(t.Context(), "line:Hana", "おはようございます", "t"); err != nil {
					t.Fatal(err)
				}
				s.Me("Hana", "おはようございます")
				s.Advance(3 * time.Minute)
				say("おはようございます")
				say("はい")
				say("明日の予定は？")
				s.Advance(10 * time.Second)
				if got := delivered(s); !slices.Equal(got, want) {
					t.Errorf("delivered %q, want %q", got, want)
				}
			})
		})
	}
}

// TestOneViewShowsATextTwice: then it was said twice, also where nothing of the
// conversation is known yet.
func TestOneViewShowsATextTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		if err := s.Window.Switch("Hana"); err != nil {
			t.Fatal(err)
		}
		want := []string{"OK", "了解しましたありがとう", "OK", "了解しましたありがとう"}
		for _, text := range want {
			change := drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Friend,
				Text: messages.Text(text)}
			if err := s.Window.Apply(change); err != nil {
				t.Fatal(err)
			}
		}
		s.WantMessages(want...)
	})
}

// counter is a hardware.Structure whose rows a test sets.
type counter struct{ rows atomic.Int64 }

func (c *counter) Rows(context.Context, string) (int, error) { return int(c.rows.Load()), nil }

// TestRowsWithoutText: rows come, and the window shows nothing new.
func TestRowsWithoutText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tree := &counter{}
		s := testkit.Start(t,
			testkit.WithConfig(func(c *config.Config) { c.Windows[0].Structure = "rows" }),
			testkit.WithRuntime(runtime.WithStructure("rows",
				func(w config.Window) (hardware.Structure, string, error) {
					return tree, w.Name, nil
				})))
		tree.rows.Store(1)
		s.Friend("Hana", "おはようございます")
		s.Advance(10 * time.Second)
		tree.rows.Store(2)
		s.Friend("Hana", "明日の予定は？")
		s.Advance(10 * time.Second)
		unreadable := func() (n int) {
			for _, e := range s.Events() {
				if m, ok := e.(events.MessageUnreadable); ok {
					n++
					if m.Conversation != s.ID("Hana") || m.Rows != 4 || m.Delta != 2 || m.Attempts != 3 {
						t.Errorf("message_unreadable %+v, want 2 of 4 rows and 3 attempts", m)
					}
				}
			}
			return n
		}
		if n := unreadable(); n != 0 {
			t.Errorf("%d messages are said to be unreadable, want none: both were read", n)
		}
		tree.rows.Store(4)
		s.Advance(10 * time.Second)
		if n := unreadable(); n != 1 {
			t.Errorf("%d times rows are said to be unreadable, want once", n)
		}
		s.WantMessages("おはようございます", "明日の予定は？")
	})
}

func TestUnknownStructureDriver(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.OCR.Engine, cfg.Windows[0].Structure = t.TempDir(), config.OCRDrawn, "nowhere"
	_, err := runtime.New(cfg)
	if err == nil || !strings.Contains(err.Error(), "windows.0.structure") {
		t.Errorf("New with an unknown structure driver = %v, want an error that names windows.0.structure", err)
	}
}

func TestSendingNeedsARun(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.OCR.Engine = t.TempDir(), config.OCRDrawn
	r, err := runtime.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	err = r.Sending(t.Context(), "line:Hana", "ひみつ", "t")
	if err == nil || strings.Contains(err.Error(), "ひみつ") {
		t.Errorf("Sending before Run = %v, want an error without the text", err)
	}
}
