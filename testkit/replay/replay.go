// Package replay plays the script of a chat on a drawn window, runs the whole
// chain that reads it in virtual time, and counts what was missed or doubled:
// see [Run], and [Counts] for what counts. [RunAll] does so with a set of scripts,
// such as package corpus makes.
//
// The window (replay.go, host.go) is watched by a [runtime.Simulation]; the
// recorder (record.go) keeps what comes out of it, truth.go says what the window
// has shown, and score.go compares the two. noise.go is a reader that errs.
package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// OCR chooses the reader of a replay.
type OCR struct {
	Real  bool    // Tesseract; otherwise a reader that knows what the window drew
	Noise float64 // share of the characters that this reader gets wrong, 0 to 0.5
}

// Options say what to replay.
type Options struct {
	Script script.Script
	// Config provides the rules (profile, OCR, burst, dedup) and the settings of the first
	// window, except its driver and script. The replay ignores the data directory and the
	// store, and sends no replies.
	Config config.Config
	OCR    OCR
	Seed   uint64         // of the schedule, the moments of crashes and the noise
	Fonts  *drawn.FontSet // nil means drawn.Fonts()
	// Deliver is called with each message as it is delivered; may be nil.
	Deliver func(control.Entry) error
	// Options go to the runtime that is replayed, such as a host's own
	// actors. Drivers, recognizers, store and clock are the replay's.
	Options []runtime.Option

	turns engine.Timetable // nil: turns begin as soon as they can
}

// Result is the outcome of a replay.
type Result struct {
	Counts
	OCRCalls    int           // frames given to OCR, repeats included
	BubblesRead int           // bubbles that cost a recognition
	CPU         time.Duration // of the whole process meanwhile; the only field that differs between equal replays
	Virtual     time.Duration // how long it took for the window
	Problems    []Problem
}

// Column is a number of a [Result] and its name.
type Column struct {
	Name  string
	Value int64
}

// Columns are the numbers of a result, in the order of its JSON.
func (r Result) Columns() (list []Column) {
	for _, c := range r.columns() {
		list = append(list, Column{c.name, int64(*c.n)})
	}
	return append(list, Column{"error_ppm", int64(r.Wrong) * 1e6 / int64(max(r.Letters, 1))},
		Column{"ocr_calls", int64(r.OCRCalls)}, Column{"bubbles_read", int64(r.BubblesRead)},
		Column{"cpu_ms", r.CPU.Milliseconds()})
}

// Run plays a script on a drawn window and runs the whole chain on it, with the
// actors and workers of package runtime, in virtual time: no goroutine, no
// sleeping, no file. Equal options give equal deliveries.
//
// The window outlives the runtime that watches it. restart drains it and builds
// a new one over the same store; crash does so without draining, some hundred
// milliseconds after the frame in which its time came, with whatever was not
// committed gone. After either, the first look at the window comes before
// anything else happens in it, so that what was visible can be read, unless down_ms
// says how long it took: then the script goes on meanwhile. send
// commits TextSent and then puts the bubble into the conversation shown.
//
// What counts: see [Counts]. Expected is what [drawn.Window.Truth] lists, but for
// messages that were first shown by scrolling back past newer ones, and for what
// dedup.first_sight does not pass on of a conversation's first view: these are
// history and may come out or not. So are those first shown by a capture of nothing but one
// text, if a gap was told: how many are new cannot be told. An edited message counts once, whichever
// of its texts came out; one that was unsent counts if it was shown whole
// before. Changes are those that [drawn.Window.Changes] lists.
//
// An error is returned where the replay itself failed, not for messages that were
// missed.
func Run(ctx context.Context, o Options) (Result, error) {
	began := cpuTime()
	p, err := newPlayback(o)
	if err != nil {
		return Result{}, err
	}
	err = p.play(ctx)
	p.result.CPU = cpuTime() - began
	return p.result, errors.Join(err, p.close())
}

// playback is a replay in progress: the window, the store, and the runtime of the present
// life.
type playback struct {
	o      Options
	cfg    config.Config
	window *drawn.Window
	player *script.Player
	screen hardware.Screen
	store  *mem.Store
	noise  *noise
	rng    *rand.Rand
	sim    *runtime.Simulation // nil before the first life
	lives  uint64
	opened []hardware.Recognizer // of this life
	look   bool                  // the next capture shows the window unchanged
	host   []script.Event        // to be done
	sends  int

	recorder recorder
	result   Result
	err      error // of Deliver, or of opening what reads
}

// epoch is when every replay begins: a Thursday morning.
var epoch = time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC)

// latency is the longest time that a capture or a reading takes.
const latency = 250 * time.Millisecond

func newPlayback(o Options) (*playback, error) {
	if n := o.OCR.Noise; n < 0 || n > 0.5 || o.OCR.Real && n != 0 {
		return nil, fmt.Errorf("replay: noise is %v, want 0 to 0.5, and 0 with real OCR", n)
	}
	p := &playback{
		o: o, cfg: o.Config, store: mem.New(), recorder: newRecorder(),
		noise: newNoise(o.OCR.Noise, o.Seed), rng: rand.New(rand.NewPCG(o.Seed, 0x7265706c6179)),
	}
	w := config.DefaultWindow("line")
	if len(p.cfg.Windows) > 0 {
		w = p.cfg.Windows[0]
	}
	w.Driver, w.Script, w.Ref = "drawn", "", ""
	p.cfg.Windows = []config.Window{w}
	p.cfg.Replies.Policy, p.cfg.Replies.Drawn = "off", false // both sides are in the script
	p.cfg.OCR.Engine = config.OCRDrawn
	if o.OCR.Real {
		p.cfg.OCR.Engine = config.OCRTesseract
	}
	if err := p.cfg.Validate(); err != nil {
		return nil, err
	}
	p.recorder.lines = p.cfg.Profile == config.ProfileSeed
	theme := drawn.Light
	if w.Theme == "dark" {
		theme = drawn.Dark
	}
	var err error
	look := drawn.DefaultOptions(p.now)
	look.Conversation = cmp.Or(o.Script.Conversation(), look.Conversation) // an empty script names none
	look.Ref, look.Size, look.Scale = w.Name, image.Pt(w.Size[0], w.Size[1]), w.Scale
	look.Theme, look.Fonts = theme, o.Fonts
	p.window, err = drawn.New(look)
	if err != nil {
		return nil, err
	}
	if p.screen, err = drawn.NewScreen(p.window); err != nil {
		return nil, err
	}
	p.player, err = script.Play(p.window, o.Script, script.Options{
		Speed: w.Speed, Host: func(e script.Event) { p.host = append(p.host, e) },
	})
	if err != nil {
		return nil, err
	}
	p.window.Drive(p.step)
	return p, p.boot(0)
}

// now is the virtual time; it goes on from one life to the next.
func (p *playback) now() time.Time {
	if p.sim == nil {
		return epoch
	}
	return p.sim.Now()
}

// step plays the script, except at the first look after a start.
func (p *playback) step(now time.Time) error {
	if p.look {
		p.look = false
		return nil
	}
	return p.player.Step(now)
}

// boot starts a runtime over the store as it is, so many milliseconds later.
func (p *playback) boot(downMS int64) error {
	now := p.now().Add(time.Duration(downMS) * time.Millisecond)
	if err := p.closeRuntime(); err != nil {
		return err
	}
	opts := append(slices.Clip(p.o.Options),
		runtime.WithScreen("drawn", func(w config.Window) (hardware.Screen, string, error) {
			return p.screen, w.Name, nil
		}),
		runtime.WithRecognizer(p.cfg.OCR.Engine, p.recognizer),
		runtime.WithListener(p.listen),
	)
	if p.cfg.CatchesUp(p.cfg.Windows[0]) {
		opts = append(opts, runtime.WithTypist("drawn", "drawn", func(config.Window) (hardware.Typist, error) {
			return drawn.NewTypist(p.window), nil
		}))
	}
	r, err := runtime.New(p.cfg, opts...)
	if err != nil {
		return err
	}
	p.lives++
	sim, err := r.Simulate(engine.SimOptions{
		Engine: engine.Options{Store: p.store}, Divert: p.divert,
		Seed: p.o.Seed + p.lives<<32, Start: now, Latency: latency, Turns: p.o.turns,
	})
	if err != nil {
		return err
	}
	p.sim, p.look = sim, p.lives > 1 && downMS == 0
	sim.Settle()
	return nil
}

// recognizer opens what reads in this life.
func (p *playback) recognizer() (hardware.Recognizer, error) {
	if !p.o.OCR.Real {
		known := drawn.NewRecognizer(p.window)
		if p.o.OCR.Noise == 0 {
			return known, nil
		}
		return noisyRecognizer{known, p.noise}, nil
	}
	r, err := tesseract.Open(tesseract.Options{})
	if err != nil {
		p.err = err // it says what to install
		return nil, err
	}
	p.opened = append(p.opened, r)
	return r, nil
}

// closeRuntime ends a life and frees what its workers hold.
func (p *playback) closeRuntime() error {
	var errs []error
	for _, r := range p.opened {
		errs = append(errs, r.Close())
	}
	p.opened = nil
	if p.sim != nil {
		errs = append(errs, p.sim.Close())
	}
	return errors.Join(errs...)
}

func (p *playback) close() error {
	return errors.Join(p.closeRuntime(), p.window.Close(), p.store.Close())
}

// tail is how long a window is watched after the last event: longer than anything waits
// for a better reading, and than a page of only new messages is held, a second for each.
const tail = 30 * time.Second

// play runs until the script is over and everything has come out.
func (p *playback) play(ctx context.Context) error {
	poll := p.cfg.Windows[0].Poll
	over := time.Time{}
	for over.IsZero() || p.now().Before(over) {
		if err := p.act(); err != nil {
			return err
		}
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case p.err != nil:
			return p.err
		case p.now().Sub(epoch) > p.limit():
			return fmt.Errorf("replay: the script stands at event %d of %d after %v of virtual time: "+
				"the window cannot be captured or read",
				p.player.Stats().Next, len(p.o.Script.Events), p.now().Sub(epoch))
		case p.player.Stats().Done && over.IsZero():
			over = p.now().Add(tail + 3*poll)
		}
		due, ok := p.sim.Control().NextTimer()
		if !ok {
			return errors.New("replay: nothing is under way any more: the poller of the window has stopped")
		}
		p.sim.Advance(max(0, due.Sub(p.now())))
	}
	p.drain(p.cfg.Burst.Cap + time.Minute)
	p.finish()
	return p.err
}

// limit is a time after which every script is over.
func (p *playback) limit() time.Duration {
	n := len(p.o.Script.Events)
	length := time.Duration(0)
	if n > 0 {
		length = time.Duration(p.o.Script.Events[n-1].AtMS) * time.Millisecond
	}
	return 3*time.Duration(float64(length)/p.cfg.Windows[0].Speed) + time.Duration(n+60)*time.Minute
}

// listen hears every event of every life.
func (p *playback) listen(ev runtime.Event) {
	switch m := ev.Message.(type) {
	case messages.MessageDelivered:
		p.recorder.delivered(m)
		m.Conversation = p.called(m.Conversation)
		if p.o.Deliver != nil && p.err == nil {
			entry, _ := control.EntryOf(runtime.Event{Seq: ev.Seq, Message: m})
			p.err = p.o.Deliver(entry)
		}
	case messages.MessageChanged:
		p.recorder.changed = append(p.recorder.changed, m)
		if m.Kind == messages.ChangeCompleted {
			p.recorder.completed(m)
		}
	case messages.TranscriptGap:
		p.recorder.gaps = append(p.recorder.gaps, m.Conversation)
	case events.EchoMessage:
		p.recorder.claimedSent(m)
	case events.Dropped:
		p.recorder.dropped(m)
	case events.CallFinished:
		if m.Worker.Kind() == messages.WorkerOCR {
			p.result.OCRCalls++
		}
	case events.FrameSeen:
		p.result.BubblesRead += m.Read.Read
	case events.MessageFailed:
		p.trouble(FailedTurn, m.Actor, m.Reason)
	case events.MessageQuarantined:
		p.trouble(DeadLetter, m.Actor, m.Reason)
	}
}

// called returns the name of a conversation instead of its id, which differs between
// replays.
func (p *playback) called(c messages.ConversationID) messages.ConversationID {
	return messages.ConversationID(p.sim.Called(c))
}

func (p *playback) trouble(what string, actor messages.Address, reason string) {
	who := p.called(messages.ConversationID(actor.Key()))
	p.result.Problems = append(p.result.Problems,
		Problem{What: what, Conversation: string(who), Text: messages.Text(reason)})
}

// divert watches what is delivered to the actors and takes nothing.
func (p *playback) divert(env engine.Envelope) bool {
	if h, ok := env.Message.(messages.IncomingBubble); ok && env.To.Kind() == messages.ActorIngress {
		p.recorder.incoming[env.ID] = h
	}
	return false
}

// finish computes the score.
func (p *playback) finish() {
	app := p.cfg.Windows[0].App + ":"
	named := func(list []delivered) (out []delivered) { // as they are called in the end
		for _, h := range list {
			h.conversation = strings.TrimPrefix(string(p.called(h.id)), app)
			out = append(out, h)
		}
		return out
	}
	own := ownTexts(p.o.Script)
	for _, m := range p.recorder.sent {
		own[m.conversation] = append(own[m.conversation], m.texts...)
	}
	got := named(p.recorder.got)
	tally, problems := score(p.expected(), got, own, named(p.recorder.claimed))
	people := map[messages.ConversationID]string{}
	for _, h := range got {
		people[h.id] = h.conversation
	}
	shown, published := p.changes(people)
	problems = append(problems, scoreChanges(shown, published, &tally)...)
	sortProblems(problems)
	p.result.Counts = tally
	p.result.Problems = append(p.result.Problems, problems...)
	p.result.Virtual = p.now().Sub(epoch)
}
