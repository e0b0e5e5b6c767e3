package main

import (
	"context"
	"errors"
	"image"
	"image/color"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// fakeDesk shows a chat whose title names a friend. The friend and the person do what a step says.
type fakeDesk struct {
	hidden, still bool
	quarter       bool // the window fills a quarter of its picture
	blink         int
	arrived       chan struct{}
	missing       bool
	asked         int
}

func (d *fakeDesk) Windows(context.Context) ([]hardware.Window, error) {
	return []hardware.Window{{Ref: "42", App: "LINE", Title: "花子", Box: image.Rect(0, 0, 200, 100)}}, nil
}

func (d *fakeDesk) Capture(context.Context, string) (hardware.Capture, error) {
	if d.hidden {
		return hardware.Capture{}, hardware.ErrMinimised
	}
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	end := 100
	if d.quarter {
		end = 50
	}
	for i := range end {
		img.SetRGBA(2*i, i, color.RGBA{byte(i), 9, 9, 255})
	}
	if d.blink++; !d.still && d.blink%2 == 0 {
		img.SetRGBA(150, 90, color.RGBA{255, 255, 255, 255})
	}
	return hardware.Capture{Image: img, Scale: 2}, nil
}

func (d *fakeDesk) Rows(context.Context, string) (int, error)    { return 0, hardware.ErrUnavailable }
func (d *fakeDesk) Notify(context.Context, string, string) error { return nil }
func (d *fakeDesk) Machine(context.Context) string               { return "a machine" }
func (d *fakeDesk) Ask(context.Context) error                    { d.asked++; d.missing = false; return nil }
func (d *fakeDesk) Idle(context.Context) (time.Duration, error)  { return time.Second, nil }
func (d *fakeDesk) Check(context.Context) []finding {
	return []finding{{what: "allowed", ok: !d.missing, need: true, text: "Screen Recording"}}
}

func (d *fakeDesk) Watch(ctx context.Context, _ string) (<-chan struct{}, error) {
	d.arrived = make(chan struct{}, 9)
	context.AfterFunc(ctx, func() { close(d.arrived) })
	return d.arrived, nil
}

func noPause(ctx context.Context, _ time.Duration) error { return ctx.Err() }

// person answers each question by what was written last, and does what it says.
type person struct {
	d     *fakeDesk
	said  *strings.Builder
	acts  map[string]func()
	heard int
}

func (p *person) Read(b []byte) (int, error) {
	asked := p.said.String()[p.heard:]
	p.heard = p.said.Len()
	answer := "\n"
	switch {
	case strings.Contains(asked, "REF:"):
		answer = "42\n"
	case strings.Contains(asked, "y or n"):
		answer = "y\n"
	case strings.Contains(asked, "Minimise"):
		p.d.hidden = true
	case strings.Contains(asked, "Bring it back"):
		p.d.hidden = false
	case strings.Contains(asked, "have one sent"), strings.Contains(asked, "Have somebody send"):
		p.d.arrived <- struct{}{}
	}
	for part, act := range p.acts {
		if strings.Contains(asked, part) {
			act()
		}
	}
	return copy(b, answer), nil
}

func TestFirstRun(t *testing.T) {
	for name, c := range map[string]struct {
		start func(*fakeDesk)
		acts  func(*fakeDesk) map[string]func()
		fails string // what the report says of the step that fails
	}{
		"all is well":          {},
		"not allowed at first": {start: func(d *fakeDesk) { d.missing = true }, fails: "FAIL  checks: allowed"},
		"a quarter is filled":  {start: func(d *fakeDesk) { d.quarter = true }, fails: "FAIL  picture: "},
		"nothing while covered": {acts: func(d *fakeDesk) map[string]func() {
			return map[string]func(){"Cover the window": func() { <-d.arrived }}
		}, fails: "FAIL  covered: 0 messages"},
		"the own one counts": {acts: func(d *fakeDesk) map[string]func() {
			return map[string]func(){"Write one yourself": func() { d.arrived <- struct{}{} }}
		}, fails: "FAIL  own message: 1 own"},
		"still there": {acts: func(d *fakeDesk) map[string]func() {
			return map[string]func(){"Minimise": func() { d.hidden = false }}
		}, fails: "FAIL  hidden: want"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			d, said := &fakeDesk{}, &strings.Builder{}
			if c.start != nil {
				c.start(d)
			}
			p := &person{d: d, said: said}
			if c.acts != nil {
				p.acts = c.acts(d)
			}
			out := newTerminal(said)
			v := &doctorVerb{app: &app{stdout: out, stderr: out}}
			err := v.first(t.Context(), p, d, noPause)
			raw, _ := os.ReadFile(firstRunFile)
			report := string(raw)
			if failed := errors.Is(err, errReported); failed != (c.fails != "") || err != nil && !failed {
				t.Errorf("first() = %v, want a failure: %v\n%s", err, c.fails != "", report)
			}
			if c.fails == "" && strings.Contains(report, "FAIL") || !strings.Contains(report, c.fails) {
				t.Errorf("the report is\n%swant %q in it", report, c.fails)
			}
			if !strings.Contains(report, "ok    notice: seen: y") || strings.Contains(report, "花子") {
				t.Errorf("the report is\n%swant the last step and no title", report)
			}
			if d.asked != 0 && !strings.Contains(report, "ok    checks again") {
				t.Errorf("the report is\n%swant the checks made again", report)
			}
		})
	}
}

// TestFirstRunEnds: q ends the list, and the report is written.
func TestFirstRunEnds(t *testing.T) {
	t.Chdir(t.TempDir())
	said := &strings.Builder{}
	v := &doctorVerb{app: &app{stdout: newTerminal(said), stderr: newTerminal(said)}}
	err := v.first(t.Context(), strings.NewReader("7\n42\ns\nq\n"), &fakeDesk{}, noPause)
	raw, _ := os.ReadFile(firstRunFile)
	if err != nil || !strings.Contains(string(raw), "skip  other display") ||
		!strings.Contains(string(raw), "not all steps: "+errEnough.Error()) {
		t.Errorf("first() = %v with the report %q, want the skipped step and that it ended", err, raw)
	}
}
