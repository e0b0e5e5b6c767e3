package runtime_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// bubbles sums up what came of the bubbles of all frames so far.
func bubbles(s *testkit.System) (read, cached int) {
	for _, ev := range s.Events() {
		if m, ok := ev.(events.FrameSeen); ok {
			read, cached = read+m.Read.Read, cached+m.Read.Cached
		}
	}
	return read, cached
}

// TestPixelsAreReadOnce scrolls back and forth: what was read stands elsewhere
// and is not read again, but for a bubble that an edge cuts. Other pixels are
// read, once; and a cache that is too small forgets.
func TestPixelsAreReadOnce(t *testing.T) {
	for _, c := range []struct {
		cache int
		again bool // what comes back is read again
	}{{512, false}, {4, true}} {
		t.Run(fmt.Sprint(c.cache), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t, testkit.WithConfig(func(cfg *config.Config) { cfg.OCR.Cache = c.cache }))
				for i := range 12 {
					s.Friend("Hana", fmt.Sprintf("これは%d番目のメッセージです", i+1))
					s.Advance(3 * time.Second)
				}
				do := func(name string, change func() error) (read, cached int) {
					r, h := bubbles(s)
					if err := change(); err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					s.Advance(5 * time.Second)
					read, cached = bubbles(s)
					return read - r, cached - h
				}
				read, cached := do("scroll", func() error { return s.Window.Scroll(150) })
				if !c.again && (read > 4 || cached < 5) { // what was out of view before may be cut now
					t.Errorf("scrolled back: %d bubbles read, %d cached, want few and many", read, cached)
				}
				read, cached = do("scroll to the end", func() error { return s.Window.Scroll(-150) })
				if (read > 0) != c.again || !c.again && cached < 5 {
					t.Errorf("scrolled to the end: %d bubbles read, %d cached, want some read = %v", read, cached,
						c.again)
				}
				if read, _ = do("rerender", s.Window.Rerender); read < 5 {
					t.Errorf("other pixels: %d bubbles read, want all in view", read)
				}
				read, _ = do("hide", s.Window.Hide)
				shown, _ := do("show", s.Window.Show)
				if read+shown > 0 {
					t.Errorf("hidden and shown: %d bubbles read, want none", read+shown)
				}
			})
		})
	}
}
