package attention

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/kehai-run/kehai/actors"
	actor "github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// Line is one judgement of a replay.
type Line struct {
	AtMS int64 `json:"at_ms"`
	Judgement
	Steady     messages.Attention `json:"steady"` // the state that is reported
	Transition *Transition        `json:"transition,omitempty"`
	// Hints are what a person should know about the lines read meanwhile, such as fields
	// without effect.
	Hints []string `json:"-"`
}

// Transition is a change of the reported state.
type Transition struct {
	From messages.Attention `json:"from"`
	To   messages.Attention `json:"to"`
}

// maxFocusLine is the longest line of a record in bytes.
const maxLine = 1 << 20

// Replay judges a record in its own time, without a language model. Each
// line is one JSON object:
//
//	{"at_ms":10000,"camera":{…},"pc":{…}}
//
// A half that is null is absent from then on; one that is left out is as before,
// until it is too old. Times may not go back. The classifier of a running Kehai
// judges, every 10 s from the first line on to the last or just after it, however
// many lines there are between; where nothing is known any more it is silent
// until something is.
func Replay(profile string, r io.Reader, yield func(Line) error) error {
	by, err := Profile(profile)
	if err == nil {
		_, err = ReplayAsking(context.Background(), by, nil, r, yield)
	}
	return err
}

// replay is Replay with somebody to ask, nil for nobody.
func replay(ctx context.Context, by By, ask func(messages.Text) (messages.Text, error), r io.Reader,
	yield func(Line) error) error {
	p, err := newPlayer(by, ask)
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	n := 0
	for lines.Scan() {
		n++
		text := bytes.TrimSpace(lines.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := p.line(text, n); err != nil {
			return err
		}
		if err := errors.Join(ctx.Err(), p.tell(yield)); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return fmt.Errorf("%w: line %d: longer than %d bytes: want one moment a line", ErrInput, n+1, maxLine)
	case err != nil:
		return fmt.Errorf("%w: line %d: %w", ErrInput, n+1, err)
	case p.sim == nil:
		return nil // there was no line
	}
	p.judge(1) // at the last line, or just after it
	return p.tell(yield)
}

// player runs the classifier of a desk in virtual time.
type player struct {
	options engine.SimOptions
	sim     *engine.Sim // nil before the first line
	first   int64       // at_ms of the first line
	base    int64       // at_ms of the newest judgement; before the first one, when it was started
	last    int64       // at_ms of the newest line
	steady  messages.Attention
	hinted  map[string]bool
	hints   []string
	made    []Line // not yet told
	failed  error
}

const (
	tick        = 10_000           // milliseconds from one judgement to the next
	hole        = 3_600_000 / tick // judgements after which nothing is known, and nothing said earlier counts
	replayEpoch = 946_684_800_000  // the year 2000 in milliseconds since 1970
	maxReplayMS = 1e14             // bounds at_ms to what is a time
	maxHints    = 20
)

func newPlayer(by By, ask func(messages.Text) (messages.Text, error)) (*player, error) {
	codec, err := messages.NewCodec(events.Core())
	if err != nil {
		return nil, err
	}
	p := &player{steady: messages.Unknown, hinted: map[string]bool{}}
	o := actor.DefaultOptions()
	o.Tick, o.Rules, o.Literal, o.LLM = tick*time.Millisecond, by.rules, by.literal, ask != nil
	p.options = engine.SimOptions{
		Engine: engine.Options{
			Store: mem.New(), Codec: codec, Listener: p.listen,
			Kinds: []engine.Kind{{Name: actor.Kind, Source: true, New: actor.New(o)}},
		},
		Activate: []messages.Address{messages.To(actor.Kind, "replay")},
	}
	if ask != nil {
		p.options.Engine.Workers = []engine.WorkerKind{{
			Name: messages.WorkerLLM, Size: 1, Answers: []messages.Type{messages.LLMAnswer{}.MessageType()},
			New: func() (actors.Worker, error) { return asking(ask), nil },
		}}
	}
	return p, nil
}

// asking makes a worker of somebody to ask.
func asking(ask func(messages.Text) (messages.Text, error)) actors.Worker {
	return actors.WorkerFunc(func(_ context.Context, request messages.Message) (messages.Message, error) {
		q, ok := request.(messages.AskLLM)
		if !ok {
			return nil, fmt.Errorf("runtime: unexpected %s", request.MessageType())
		}
		text, err := ask(q.Prompt)
		return messages.LLMAnswer{Key: q.Key, Text: text}, err
	})
}

// line reads a line of the record, after the judgements that come before it.
func (p *player) line(text []byte, n int) error {
	at, camera, usage, err := p.read(text)
	if err != nil {
		return fmt.Errorf("%w: line %d: %w", ErrInput, n, err)
	}
	if p.sim == nil {
		p.first, p.base = at, at-tick
		if err := p.open(); err != nil {
			return err
		}
	}
	p.last = at
	due := (at - 1 - p.base) / tick
	p.judge(min(due, hole))
	if due > hole {
		p.base += (due - hole) * tick
		if err := p.open(); err != nil {
			return err
		}
	}
	for _, snapshot := range []messages.Message{camera, usage} {
		if snapshot != nil {
			p.give(snapshot)
		}
	}
	p.hint(text, n)
	return p.failed
}

// open starts the classifier at the base, over what an earlier one stored.
func (p *player) open() (err error) {
	p.options.Start = p.moment(p.base)
	p.sim, err = engine.NewSim(p.options)
	return err
}

// moment is a time of the record as the classifier sees it. A record may count
// from anywhere, so that it begins in the year 2000 whenever it began.
func (p *player) moment(at int64) time.Time {
	return time.UnixMilli(replayEpoch + at - p.first)
}

// judge makes the classifier judge this many times.
func (p *player) judge(times int64) {
	p.sim.Advance(time.Duration(times) * tick * time.Millisecond)
	p.base += times * tick
}

func (p *player) give(snapshot messages.Message) {
	if _, err := p.sim.Inject(p.options.Activate[0], snapshot, ""); err != nil && p.failed == nil {
		p.failed = err
	}
	p.sim.Settle() // a mailbox is bounded, the lines of a moment are not
}

// listen handles what the classifier publishes.
func (p *player) listen(e engine.Published) {
	switch m := e.Message.(type) {
	case messages.FocusJudged:
		line := Line{AtMS: m.Raw.At.UnixMilli() - replayEpoch + p.first, Judgement: judgementOf(m.Raw),
			Steady: m.Steady.State}
		if line.Steady != p.steady {
			line.Transition = &Transition{From: p.steady, To: line.Steady}
			p.steady = line.Steady
		}
		p.made = append(p.made, line)
	case events.MessageFailed:
		if p.failed == nil {
			p.failed = fmt.Errorf("runtime: replay of attention: %s: %s", m.Type, m.Reason)
		}
	}
}

// tell hands on what was judged.
func (p *player) tell(yield func(Line) error) error {
	for i, line := range p.made {
		if i == 0 {
			line.Hints, p.hints = p.hints, nil
		}
		if err := yield(line); err != nil {
			return err
		}
	}
	p.made = p.made[:0]
	return p.failed
}

// hint reports fields without effect, each once.
func (p *player) hint(text []byte, n int) {
	var line struct{ Camera, PC json.RawMessage }
	if json.Unmarshal(lenient.ReplaceNaN(text, "null"), &line) != nil {
		return
	}
	for _, hint := range Hints(line.Camera, line.PC) {
		if !p.hinted[hint] && len(p.hinted) < maxHints {
			p.hinted[hint] = true
			p.hints = append(p.hints, fmt.Sprintf("line %d: %s", n, hint))
		}
	}
}

// read reads a line: its time, and the snapshots that it has, nil for none. One
// that is absent from now on is as old as can be.
func (p *player) read(text []byte) (at int64, camera, usage messages.Message, err error) {
	var line struct {
		AtMS   *float64        `json:"at_ms"`
		Camera json.RawMessage `json:"camera"`
		PC     json.RawMessage `json:"pc"`
	}
	if err := json.Unmarshal(lenient.ReplaceNaN(text, "null"), &line); err != nil {
		return 0, nil, nil, errors.New(`want a JSON object such as {"at_ms":0,"camera":{…},"pc":{…}}`)
	}
	if line.AtMS == nil || math.Abs(*line.AtMS) > maxReplayMS {
		return 0, nil, nil, errors.New("at_ms: want a number of milliseconds")
	}
	at = int64(*line.AtMS)
	if p.sim == nil {
		p.first = at
	} else if at < p.last {
		return 0, nil, nil, fmt.Errorf("at_ms: %d is before the line above (%d): sort the record by time", at, p.last)
	}
	if line.Camera != nil {
		half, err := halfOf(line.Camera, messages.DecodeCamera)
		if err != nil {
			return 0, nil, nil, fmt.Errorf("camera: %w", err)
		}
		snapshot := messages.CameraSnapshot{}
		if half != nil {
			snapshot = *half
			snapshot.ObservedAt = p.moment(at)
		}
		camera = snapshot
	}
	if line.PC != nil {
		half, err := halfOf(line.PC, messages.DecodeUsage)
		if err != nil {
			return 0, nil, nil, fmt.Errorf("pc: %w", err)
		}
		snapshot := messages.UsageSnapshot{}
		if half != nil {
			snapshot = *half
			snapshot.ObservedAt = p.moment(at)
		}
		usage = snapshot
	}
	return at, camera, usage, nil
}
