package darwin

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
)

// The fake world is not safe for concurrent calls, so turnLock admits one at a
// time.

type serialStructure struct {
	*Structure
	turn turnLock
}

func (g *serialStructure) Rows(ctx context.Context, ref string) (int, error) {
	defer g.turn.enter()()
	return g.Structure.Rows(ctx, ref)
}

func TestStructureConforms(t *testing.T) {
	hardwaretest.Structure(t, func(t *testing.T) hardwaretest.StructureFixture {
		w, _ := fakeScreen(t)
		_, window := w.withChat()
		w.withArea(window)
		return hardwaretest.StructureFixture{
			Structure: &serialStructure{Structure: &Structure{w.api}}, Ref: "42", Rows: 5, Gone: "43",
			Secrets: []string{"花子"},
			Deny:    func() { w.trusted = false },
		}
	})
}

func TestUsageConforms(t *testing.T) {
	hardwaretest.Usage(t, func(t *testing.T) hardwaretest.UsageFixture {
		w, _ := fakeScreen(t)
		w.counters[eventKeyDown], w.counters[eventMoved] = 100, 50
		u := &serialUsage{Usage: openUsage(w.api, UsageOptions{})}
		return hardwaretest.UsageFixture{
			Usage: u, App: "LINE", Secret: []string{"花子"},
			Touch: func(keys, mouse int) {
				defer u.turn.enter()()
				w.counters[eventKeyDown] += uint32(keys)
				w.counters[eventMoved] += uint32(mouse)
				w.elapsed[eventKeyDown], w.elapsed[eventAny] = 2, 1
			},
		}
	})
}

type serialUsage struct {
	*Usage
	turn turnLock
}

func (g *serialUsage) ActiveApp(ctx context.Context) (hardware.App, error) {
	defer g.turn.enter()()
	return g.Usage.ActiveApp(ctx)
}

func (g *serialUsage) Idle(ctx context.Context) (time.Duration, error) {
	defer g.turn.enter()()
	return g.Usage.Idle(ctx)
}

func (g *serialUsage) Input(ctx context.Context) (hardware.Input, error) {
	defer g.turn.enter()()
	return g.Usage.Input(ctx)
}

func TestTypistConforms(t *testing.T) {
	hardwaretest.Typist(t, func(t *testing.T) hardwaretest.TypistFixture {
		w, typist, _, _ := fakeTypist(t)
		front := w.windows
		return hardwaretest.TypistFixture{
			Typist: typist, Ref: "42", Gone: "43",
			Shows: func(t *testing.T, texts ...string) string {
				t.Helper()
				got := field(w.events)
				if !slices.Contains(texts, got) {
					t.Errorf("the field holds %q after %q, want one of %q", got, w.events, texts)
				}
				return got
			},
			Clear: func() { w.events = nil },
			Steal: func() { w.windows = append([]map[string]any{shownWindow(7, 300, 200)}, front...) },
			Give:  func() { w.windows = front },
		}
	})
}

// The same where the accessibility tree has the field.
func TestTypistConformsWithAField(t *testing.T) {
	hardwaretest.Typist(t, func(t *testing.T) hardwaretest.TypistFixture {
		w, typist, _, window := fakeTypist(t)
		field := w.withInput(window)
		front := w.windows
		return hardwaretest.TypistFixture{
			Typist: typist, Ref: "42", Gone: "43",
			Shows: func(t *testing.T, texts ...string) string {
				t.Helper()
				got, _ := field.attributes["AXValue"].(string)
				if !slices.Contains(texts, got) {
					t.Errorf("the field holds %q, want one of %q", got, texts)
				}
				return got
			},
			Clear: func() { field.attributes["AXValue"] = "" },
			Steal: func() { w.windows = append([]map[string]any{shownWindow(7, 300, 200)}, front...) },
			Give:  func() { w.windows = front },
		}
	})
}

// field is what a text field makes of the keys that go down.
func field(events []string) string {
	var text string
	selected := false
	for _, e := range events {
		var code int
		var down bool
		var flags uint64
		if n, err := fmt.Sscanf(e, "key %d %t 0x%x", &code, &down, &flags); n < 3 || err != nil || !down {
			continue
		}
		_, typed, _ := strings.Cut(e, fmt.Sprintf("%#x", flags))
		switch {
		case code == keyA && flags == flagCommand:
			selected = true
			continue
		case code == keyBackspace && selected:
			text = ""
		case code == keyReturn && flags == flagShift:
			text += "\n"
		case code == 0:
			text += strings.TrimPrefix(typed, " ")
		}
		selected = false
	}
	return text
}
