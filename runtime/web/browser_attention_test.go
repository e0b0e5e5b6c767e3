//go:build browser

package web

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// aMoment is a Friday afternoon.
var aMoment = time.Date(2026, 11, 20, 17, 12, 0, 0, time.UTC)

// Colours of the light theme.
var (
	focusedColour = color.RGBA{0x2a, 0x78, 0xb5, 255}
	drowsyColour  = color.RGBA{0x8a, 0x3f, 0x8f, 255}
	awayColour    = color.RGBA{0x7d, 0x83, 0x8c, 255}
	pausedGround  = color.RGBA{0xf0, 0xef, 0xec, 255}
	trackColour   = color.RGBA{0xf3, 0xf1, 0xed, 255}
	cardColour    = color.RGBA{0xff, 0xff, 0xff, 255}
	markerColour  = color.RGBA{0xb3, 0x37, 0x2c, 255}
)

// band reads pixels of one day's row.
type band struct {
	t    *testing.T
	shot image.Image
	name string
	x, y float64
	w, h float64
}

func (p *tab) band(shot image.Image, back int) band {
	p.t.Helper()
	b := p.box(fmt.Sprintf("canvas[data-back='%d']", back))
	return band{p.t, shot, fmt.Sprintf("day -%d", back), b.X, b.Y, b.Width, b.Height}
}

// at is the colour at an hour on the wall; 0 is the top of the row, 1 its end.
func (b band) at(hour, height float64) color.RGBA {
	r, g, bl, _ := b.shot.At(int(b.x+hour/24*b.w), int(b.y+min(height*b.h, b.h-1))).RGBA()
	return color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}
}

func (b band) want(hour, height float64, want ...color.RGBA) {
	b.t.Helper()
	if got := b.at(hour, height); !slices.Contains(want, got) {
		b.t.Errorf("%s at %v o'clock and %v of its height is %v, want %v", b.name, hour, height, got, want)
	}
}

// share is how many of an hour's pixels have a colour.
func (b band) share(hour, width float64, want color.RGBA) float64 {
	n, all := 0, 0
	for x := b.x + hour/24*b.w + 1; x < b.x+(hour+width)/24*b.w-1; x++ {
		for y := b.y + 1; y < b.y+b.h-1; y++ {
			all++
			if r, g, bl, _ := b.shot.At(int(x), int(y)).
				RGBA(); (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(bl >> 8), 255}) == want {
				n++
			}
		}
	}
	return float64(n) / float64(all)
}

// sums is a row of the table of days as the rules of the history have it.
func sums(list []AttentionChange, from, to time.Time) string {
	times := map[messages.Attention]time.Duration{}
	var own []messages.FocusState
	for _, c := range list {
		state := c.State
		if c.Paused {
			state = "paused"
		}
		own = append(own, messages.FocusState{State: state, At: c.At})
	}
	for _, s := range history.Spans(own, from, to) {
		times[s.State] += s.End.Sub(s.Start)
	}
	var cells []string
	for _, state := range []messages.Attention{messages.Focused, messages.Distracted, messages.Drowsy, messages.Idle,
		messages.Away, "paused", messages.Unknown} {
		d, text := times[state], "–"
		switch m := int(d.Round(time.Minute) / time.Minute); {
		case d > 0 && d < time.Minute:
			text = fmt.Sprintf("%d s", max(1, int(d.Round(time.Second)/time.Second)))
		case d > 0 && m < 60:
			text = fmt.Sprintf("%d min", m)
		case d > 0:
			text = fmt.Sprintf("%d h %02d min", m/60, m%60)
		}
		cells = append(cells, text)
	}
	return strings.Join(cells, " ")
}

// days checks the table of days against the rules of the history.
func (p *tab) wantDays(list []AttentionChange, now time.Time) {
	p.t.Helper()
	got := strings.Split(eval[string](p, `[...document.querySelectorAll("#day-table tr")]
		.map((tr) => [...tr.querySelectorAll("td")].map((td) => td.textContent).join(" ")).join("\n")`), "\n")
	for back := range 8 {
		from, to := history.Day(now.AddDate(0, 0, -back))
		if to.After(now) {
			to = now
		}
		if want := sums(list, from, to); back >= len(got) || got[back] != want {
			p.t.Errorf("the table of %d days before has %q, want %q", back, got[back], want)
		}
	}
}

func TestTimelineInABrowser(t *testing.T) {
	sc := newScene(t)
	list := week(aMoment)
	sc.attend(aMoment, list)
	s := serve(t, &sc.host)
	sc.show(t, s, true)
	b := startBrowser(t)
	b.open(s.URL(), look{w: 1280, h: 1900}).shoot("whole")
	for _, l := range []look{{w: 1280, h: 900}, {w: 1280, h: 900, dark: true}, {w: 390, h: 900, scale: 2},
		{w: 390, h: 900, scale: 2, dark: true}} {
		p := b.open(s.URL(), l)
		shot := p.shoot(fmt.Sprintf("timeline-%d-%v", l.w, l.dark))
		p.wantText("#now-state", "Focused")
		p.wantText("#now-for", "since 16:06 · 1 h 06 min")
		p.wantText("#attention-desk", "mac-a")
		p.wantDays(list, aMoment)
		if over := eval[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
			t.Errorf("at %d pixels the page is %d too wide", l.w, over)
		}
		said := eval[string](p, `document.querySelector("canvas[data-back='0']").getAttribute("aria-label")`)
		if !strings.HasPrefix(said, "Today: focused 5 h 44 min, distracted 7 min, drowsy 35 min, ") {
			t.Errorf("the row of today is called %q, want its sums", said)
		}
		if l.dark || l.scale > 1 {
			continue
		}
		today, monday, sunday := p.band(shot, 0), p.band(shot, 4), p.band(shot, 5)
		for _, hour := range []float64{9.2, 10, 11.5, 14.5, 16.5} {
			today.want(hour, 0.2, focusedColour)
		}
		today.want(2, 0.5, trackColour)
		today.want(19.5, 0.95, trackColour) // the time to come
		today.want(12.5, 0.95, awayColour)  // states differ by height
		today.want(12.5, 0.5, trackColour)
		today.want(13.5, 0.1, trackColour)
		if got := today.share(13.3, 0.5, drowsyColour); got < 0.1 || got > 0.6 { // and by pattern
			t.Errorf("%v of the drowsy time has its colour, want dots", got)
		}
		if got := today.share(15.4, 0.6, pausedGround); got < 0.3 || got > 0.9 {
			t.Errorf("%v of the pause has its ground, want a cross pattern", got)
		}
		today.want(17.2, 0.5, markerColour)
		monday.want(9.2, 0.5, focusedColour)
		monday.want(18.8, 0.2, trackColour)
		sunday.want(12.2, 0.3, trackColour)
	}
	b.wantNoComplaints()
}

// A clock that is set back gives an hour twice, one that is set forward leaves
// an hour out; a state that holds over midnight stands in both days.
func TestTimelineInABrowserWhereClocksChange(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	b := startBrowser(t)
	at := func(state messages.Attention, y int, m time.Month, d, hour, minute int) AttentionChange {
		return AttentionChange{At: time.Date(y, m, d, hour, minute, 0, 0, time.UTC), State: state, Confidence: 0.9,
			Source: messages.FromRule}
	}
	open := func(now time.Time, list []AttentionChange, back int) (*tab, band) {
		h := &host{}
		h.attend(now, list)
		p := b.open(serve(t, h).URL(), look{w: 1280, h: 900, zone: "Europe/Berlin"})
		p.wantDays(list, now)
		p.unfold()
		return p, p.band(p.shoot(fmt.Sprintf("clocks-%s-%d", now.Month(), back)), back)
	}

	autumn := []AttentionChange{
		at(messages.Focused, 2026, 10, 24, 21, 0),   // 23:00 the day before
		at(messages.Away, 2026, 10, 24, 22, 30),     // 0:30
		at(messages.Focused, 2026, 10, 25, 0, 0),    // 2:00, summer time
		at(messages.Distracted, 2026, 10, 25, 1, 0), // 2:00 again
		at(messages.Away, 2026, 10, 25, 2, 0),       // 3:00
	}
	p, today := open(time.Date(2026, 10, 25, 15, 0, 0, 0, berlin), autumn, 0)
	p.wantText("#day-table tr:first-child th", "Today (25 h)")
	today.want(0.2, 0.5, focusedColour)
	today.want(1.5, 0.9, awayColour)
	today.want(1.5, 0.5, trackColour)
	today.want(2.5, 0.2, focusedColour) // the first time above
	if today.share(2.1, 0.8, focusedColour) > 0.55 {
		t.Error("the hour that comes twice shows its first time alone")
	}
	today.want(3.5, 0.9, awayColour)
	p.band(p.shoot("clocks-before"), 1).want(23.5, 0.5, focusedColour)
	p, day := open(time.Date(2026, 10, 29, 15, 0, 0, 0, berlin), autumn, 4) // seen from later on
	p.wantText("#day-table tr:nth-child(5) th", "Sun, Oct 25 (25 h)")
	day.want(2.5, 0.2, focusedColour)
	day.want(23.5, 0.5, trackColour)

	// 23:00 to 4:00
	spring := []AttentionChange{at(messages.Focused, 2026, 3, 28, 22, 0), at(messages.Away, 2026, 3, 29, 2, 0)}
	p, today = open(time.Date(2026, 3, 29, 15, 0, 0, 0, berlin), spring, 0)
	p.wantText("#day-table tr:first-child th", "Today (23 h)")
	today.want(1.5, 0.5, focusedColour)
	today.want(2.5, 0.5, cardColour) // there is no such time
	today.want(3.5, 0.5, focusedColour)
	today.want(5, 0.95, awayColour)
	b.wantNoComplaints()
}

func TestTimelineInABrowserEmpty(t *testing.T) {
	b := startBrowser(t)
	h := &host{}
	h.attend(aMoment, nil)
	p := b.open(serve(t, h).URL(), look{w: 1280, h: 700})
	p.shoot("empty")
	p.wantText("#now-state", "Not judged yet")
	p.wantText("#sums", "Nothing yet.")
	if said := p.text("#now-why"); !strings.HasPrefix(said, "Nothing has been judged yet.") {
		t.Errorf("the reason is %q, want that nothing was judged", said)
	}
	p = b.open(serve(t, &host{}).URL(), look{w: 1280, h: 700})
	if !eval[bool](p, `document.getElementById("attention").hidden`) {
		t.Error("the page has a section of attention while that is off")
	}
	b.wantNoComplaints()
}

// Ten thousand changes are drawn at once, and their sums are right.
func TestTimelineInABrowserWithMany(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var list []AttentionChange
	start := time.Date(2026, 11, 13, 0, 0, 0, 0, time.UTC)
	for at := start; len(list) < 10000; at = at.Add(time.Duration(20+r.IntN(90)) * time.Second) {
		list = append(list, AttentionChange{At: at, State: history.States[r.IntN(6)], Confidence: r.Float64(),
			Source: messages.FromFallback})
	}
	h := &host{}
	h.attend(aMoment, list)
	b := startBrowser(t)
	p := b.open(serve(t, h).URL(), look{w: 1280, h: 900})
	p.shoot("many")
	p.wantDays(list, aMoment)
	if n := eval[int](p, `document.querySelectorAll("#transitions tr").length`); n != 100 {
		t.Errorf("%d transitions are listed, want the newest 100", n)
	}
	draw := `(() => { const t = performance.now(); drawAttention(); return performance.now() - t; })()`
	if took := eval[float64](p, draw); took > 500 {
		t.Errorf("drawing took %.0f ms, want it in half a second", took)
	} else {
		t.Logf("drawing took %.0f ms", took)
	}
	b.wantNoComplaints()
}

func judged(raw, steady messages.Attention, at time.Time) engine.Published {
	state := func(s messages.Attention) messages.FocusState {
		return messages.FocusState{State: s, Confidence: 0.7, Source: messages.FromFallback, Reasoning: "made up",
			At: at}
	}
	return engine.Published{Message: messages.FocusJudged{Desk: "mac-a", Raw: state(raw), Steady: state(steady)}}
}

// become makes a change as the runtime does: stored, then published.
func (h *host) become(s *Server, state messages.Attention, at time.Time) {
	h.set(func(h *host) {
		h.attention.State, h.attention.Since = state, at
		h.attention.Confidence, h.attention.Source = 0.7, messages.FromFallback
		h.changes = append(h.changes, AttentionChange{At: at, State: state, Confidence: 0.7,
			Source: messages.FromFallback})
	})
	s.Listen(judged(state, state, at))
}

// A judgement is shown as it comes, a change moves the page, and a lasting state
// is said.
func TestAttentionInABrowserLive(t *testing.T) {
	h := &host{}
	h.attend(aMoment, week(aMoment))
	s := serve(t, h)
	s.Listen(judged(messages.Focused, messages.Focused, aMoment.Add(-time.Second)))
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 1280, h: 900})
	p.unfold()
	p.wantText("#now-state", "Focused")
	s.Listen(judged(messages.Drowsy, messages.Focused, aMoment))
	p.until(`document.getElementById("now-facts").innerText.includes("drowsy, 70 % sure: reported once it lasts")`)
	p.wantText("#now-state", "Focused")
	h.become(s, messages.Drowsy, aMoment)
	p.until(`document.getElementById("now-state").innerText === "Drowsy"`)
	p.until(`document.querySelector("#transitions tr").innerText.includes("Drowsy")`)
	s.Listen(engine.Published{Message: messages.FocusNotice{ID: "n", Desk: "mac-a", State: messages.Drowsy,
		Since: aMoment, At: aMoment.Add(time.Second)}})
	p.until(`!document.getElementById("attention-notice").hidden`)
	p.wantText("#attention-notice", "Drowsy since 17:12. A short break or some fresh air may help.")
	p.shoot("live")
	h.become(s, messages.Away, aMoment.Add(time.Second))
	h.become(s, messages.Focused, aMoment.Add(2*time.Second)) // two at once: the page fetches what it has not seen
	p.until(`[...document.querySelectorAll("#transitions tr")].slice(0, 3)
		.map((tr) => tr.children[1].innerText).join() === "Focused,Away,Drowsy"`)
	if !eval[bool](p, `document.getElementById("attention-notice").hidden`) {
		t.Error("the notice stays after the state that it speaks of")
	}
	b.wantNoComplaints()
}

// The arrow keys go through a day and say what was when.
func TestTimelineInABrowserByKeys(t *testing.T) {
	h := &host{}
	h.attend(aMoment, week(aMoment))
	b := startBrowser(t)
	p := b.open(serve(t, h).URL(), look{w: 1280, h: 900})
	key := func(name string) {
		for _, kind := range []string{"rawKeyDown", "keyUp"} {
			p.do("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": name, "code": name}, nil)
		}
	}
	eval[bool](p, `document.querySelector("canvas[data-back='0']").focus(), true`)
	key("End")
	p.wantText("#attention-said", "Focused, 16:06 to 17:12, 1 h 06 min")
	key("ArrowLeft")
	key("ArrowLeft")
	p.wantText("#attention-said", "Paused, 15:20 to 16:05, 45 min")
	p.wantText("#tip", "Paused 15:20–16:05 · 45 min")
	p.shoot("keys")
	box := p.box("canvas[data-back='0']")
	p.do("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": box.X + box.Width*13.5/24, "y": box.Y +
		box.Height/2}, nil)
	p.until(`document.getElementById("tip").innerText.startsWith("Drowsy")`)
	b.wantNoComplaints()
}

// What a person asks for reaches the host, and what came of it is on the page.
func TestPausingInABrowser(t *testing.T) {
	sc := newScene(t)
	sc.attend(aMoment, week(aMoment))
	sc.act = func(_ context.Context, a Act) error {
		since := aMoment
		switch a.Verb { // as the runtime does; the lock is held
		case PauseAttention:
			sc.attention.Paused = &since
		case ResumeAttention:
			sc.attention.Paused = nil
		case MuteNotices:
			until := aMoment.Add(a.For)
			sc.attention.Muted, sc.attention.MutedUntil = true, &until
		case UnmuteNotices:
			return errors.New("the store is full: free some space")
		case PauseWindow:
			sc.status.Paused = append(sc.status.Paused, Paused{Window: a.Window, Since: since})
		case ResumeWindow:
			sc.status.Paused = slices.DeleteFunc(sc.status.Paused,
				func(p Paused) bool { return a.Window == "" || p.Window == a.Window })
		}
		return nil
	}
	s := serve(t, &sc.host)
	sc.show(t, s, false)
	b := startBrowser(t)
	p := b.open(s.URL(), look{w: 1280, h: 1000})
	press := func(name, then string) {
		t.Helper()
		eval[bool](p, fmt.Sprintf(`[...document.querySelectorAll("button")]
			.find((b) => (b.ariaLabel || b.innerText) === %q).id = "press", true`, name))
		p.click("#press")
		eval[bool](p, `document.getElementById("press")?.removeAttribute("id"), true`)
		p.until(then)
	}
	press("Mute for 1 h", `document.getElementById("now-facts").innerText.includes("muted until")`)
	press("Unmute notices",
		`document.getElementById("notices").innerText.includes("Not done: the store is full: free some space")`)
	press("Pause attention", `document.getElementById("now-state").innerText === "Paused"`)
	p.shoot("paused")
	if got := p.text("#attention-acts"); got != "Resume attention" {
		t.Errorf("paused attention offers %q, want to resume it", got)
	}
	press("Resume attention", `document.getElementById("now-state").innerText === "Focused"`)
	press("Pause team@mac-a", `document.querySelector("[data-key='team@mac-a']").className === "window failing paused"`)
	p.shoot("paused-window")
	press("Resume team@mac-a", `document.querySelector("[data-key='team@mac-a']").className === "window"`)
	press("Pause all", `document.getElementById("notices").innerText.includes("All windows are paused since")`)
	p.shoot("paused-all")
	press("Resume all", `!document.getElementById("notices").innerText.includes("paused")`)
	sc.set(func(h *host) {
		want := []Act{
			{Verb: MuteNotices, For: time.Hour}, {Verb: UnmuteNotices}, {Verb: PauseAttention}, {Verb: ResumeAttention},
			{Verb: PauseWindow, Window: "team@mac-a"}, {Verb: ResumeWindow, Window: "team@mac-a"}, {Verb: PauseWindow},
			{Verb: ResumeWindow},
		}
		if !slices.Equal(h.acts, want) {
			t.Errorf("the host was asked for %v, want %v", h.acts, want)
		}
	})
}
