package runtime_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit"
)

// twoWindows is three simulated machines, two of which show the same conversation of the same account.
type twoWindows struct {
	*testkit.Machines
	windows [2]*drawn.Window
	due     [2][]dueChange
	heard   []messages.Text // in order
	replies bool            // they answer by themselves
	told    [2]int          // answers of the other machine that the account has a window show, too
	shown   [2]int          // those of them that it shows already
}

// dueChange happens to a window at a time.
type dueChange struct {
	at time.Time
	drawn.Change
}

var chatLines = []messages.Text{"りんごを買いました", "駅で待っています", "映画は何時からですか", "傘を忘れないで", "今日は寒いですね",
	"写真を送ります", "会議は延期です", "鍵は机の上です", "電車が遅れています", "夕飯はカレーです", "犬の散歩に行きます", "薬を飲みましたか",
	"荷物が届きました", "明後日は休みです", "地図を見てください", "髪を切りました", "本を返してください", "切符を二枚取りました"}

func newTwoWindows(t interface{ Fatal(...any) }, seed uint64, replies bool) *twoWindows {
	w := &twoWindows{replies: replies}
	o := engine.SimClusterOptions{Seed: seed, Loss: 0.1, Again: 0.1, Skew: time.Minute,
		Start: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), Nodes: []string{"mac-0", "mac-1", "mac-2"},
		Node: func(string) engine.SimOptions {
			return engine.SimOptions{Latency: 200 * time.Millisecond,
				Engine: engine.Options{Store: mem.New(), Sync: true}}
		}}
	for i := range w.windows {
		look := drawn.DefaultOptions(func() time.Time {
			if w.Machines == nil {
				return o.Start
			}
			return w.Now()
		})
		look.Ref, look.Fonts, look.Conversation = "line", drawn.FindFonts(), "Hana"
		look.Size.Y += 40 * i
		var err error
		if w.windows[i], err = drawn.New(look); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if w.Machines, err = testkit.SimulateCluster(o, w.machine); err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	return w
}

func (w *twoWindows) machine(node string) (*runtime.Runtime, error) {
	cfg := config.Default()
	cfg.Node, cfg.OCR.Engine, cfg.Dedup.FirstSight = node, config.OCRDrawn, "all"
	cfg.Replies.Policy, cfg.Replies.Drawn = "off", false
	opts := []runtime.Option{runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(messages.MessageDelivered); ok {
			for _, part := range m.Parts {
				w.heard = append(w.heard, part.Text)
			}
		}
	})}
	if w.replies {
		cfg.Replies.Policy, cfg.Replies.Auto = "auto", []string{"line:Hana"}
		opts = append(opts, runtime.WithLLM(answers{}), runtime.WithLocalLLM())
	}
	if i := int(node[4] - '0'); i >= len(w.windows) {
		cfg.Windows = nil
	} else {
		screen, err := drawn.NewScreen(w.windows[i])
		if err != nil {
			return nil, err
		}
		opts = append(opts,
			runtime.WithScreen("drawn", func(config.Window) (hardware.Screen, string, error) {
				return screen, "line", nil
			}),
			runtime.WithRecognizer(config.OCRDrawn,
				func() (hardware.Recognizer, error) { return drawn.NewRecognizer(w.windows[i]), nil }),
			runtime.WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
				return drawn.NewTypist(w.windows[i]), nil
			}))
	}
	return runtime.New(cfg, opts...)
}

// later has something happen to a window, after all that happens to it before.
func (w *twoWindows) later(window int, at time.Time, c drawn.Change) {
	if n := len(w.due[window]); n > 0 && at.Before(w.due[window][n-1].at) {
		at = w.due[window][n-1].at
	}
	w.due[window] = append(w.due[window], dueChange{at, c})
}

// play has happen what is due, until nothing more is.
func (w *twoWindows) play() error {
	for {
		left, err := w.happen()
		if err != nil {
			return err
		}
		if !left {
			w.Advance(20 * time.Second)
			return nil
		}
		w.Advance(200 * time.Millisecond)
	}
}

// happen has happen what is due now, and reports whether something will be due later.
func (w *twoWindows) happen() (left bool, err error) {
	for i := range w.due {
		for len(w.due[i]) > 0 && !w.due[i][0].at.After(w.Now()) {
			if err := w.windows[i].Apply(w.due[i][0].Change); err != nil {
				return false, fmt.Errorf("window %d: %w", i, err)
			}
			if w.due[i][0].Text == answered {
				w.shown[i]++
			}
			w.due[i] = w.due[i][1:]
		}
		left = left || len(w.due[i]) > 0
	}
	return left, nil
}

// TestTwoWindowsOfOneConversation plays a chat on the windows of two machines, which come by each message at
// different times and are scrolled back at different times: each message is delivered once, in order.
func TestTwoWindowsOfOneConversation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newTwoWindows(t, rapid.Uint64().Draw(t, "seed"), false)
		defer w.Close()
		var want []messages.Text
		now := w.Now()
		for _, text := range rapid.Permutation(chatLines).Draw(t, "texts")[:rapid.IntRange(3, 10).Draw(t, "n")] {
			now = now.Add(time.Duration(rapid.IntRange(200, 6000).Draw(t, "gap")) * time.Millisecond)
			c := drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Friend, Text: text}
			if rapid.IntRange(0, 3).Draw(t, "who") == 0 {
				c.Who = drawn.Me
			} else {
				want = append(want, text)
			}
			for i := range w.windows {
				late := time.Duration(rapid.IntRange(0, 3000).Draw(t, "late")) * time.Millisecond
				w.later(i, now.Add(late), c)
				if rapid.IntRange(0, 5).Draw(t, "scrolls") == 0 {
					back := drawn.Change{Op: drawn.OpScroll, By: rapid.IntRange(20, 400).Draw(t, "by")}
					w.later(i, now.Add(late), back)
					w.later(i, now.Add(late+2*time.Second), drawn.Change{Op: drawn.OpScroll, By: -10_000})
				}
			}
		}
		if err := w.play(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.heard, want) {
			t.Fatalf("delivered:\n%s\nwant\n%s", perLine(w.heard), perLine(want))
		}
	})
}

func perLine(texts []messages.Text) (s string) {
	for _, t := range texts {
		s += string(t) + "\n"
	}
	return s
}

// typed is how many answers were typed into a window.
func (w *twoWindows) typed(window int) (n int) {
	for _, m := range w.windows[window].Transcript("Hana") {
		if m.Who == drawn.Me && m.Text == answered {
			n++
		}
	}
	return n - w.shown[window]
}

// TestTwoWindowsGiveOneReply: two machines that show one conversation, each of which would judge, write and send by
// itself, answer each question once. What one has sent appears in the other's window, as it is one account.
func TestTwoWindowsGiveOneReply(t *testing.T) {
	runs := uint64(12)
	if testing.Short() {
		runs = 3
	}
	for seed := range runs {
		w := newTwoWindows(t, seed, true)
		for n, text := range []messages.Text{asked, "何か持っていきましょうか"} {
			c := drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Friend, Text: text}
			first := int(seed+uint64(n)) % 2
			w.later(first, w.Now(), c)
			w.later(1-first, w.Now().Add(time.Duration(seed)*700*time.Millisecond), c)
			for range 90 * 5 {
				if err := w.step(); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := w.typed(0), w.typed(1); a+b != n+1 {
				t.Errorf("seed %d: %d and %d replies were typed into the two windows, want %d in all", seed, a, b, n+1)
			}
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}

// step has a fifth of a second pass. What was typed into one window is shown by the other one, too.
func (w *twoWindows) step() error {
	w.Advance(200 * time.Millisecond)
	for i := range w.windows {
		for ; w.told[1-i] < w.typed(i); w.told[1-i]++ {
			c := drawn.Change{Op: drawn.OpAppend, Conversation: "Hana", Who: drawn.Me, Text: answered}
			w.later(1-i, w.Now(), c)
		}
	}
	_, err := w.happen()
	return err
}
