package script

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
)

// Options say how to play.
type Options struct {
	// Speed divides the waits of the script: above 0, and 1 is as written.
	Speed float64
	// Host does what a window cannot: send, restart, crash, reset_baseline. It is
	// called during a capture, when the journal already has the script's position:
	// a host that dies in this call does not get it again. It must return soon and
	// must not capture the window. Required if the script needs it.
	Host func(Event)
}

// Stats count what a player has done in this process.
type Stats struct {
	Messages int // put onto the window
	Actions  int // done to the window or handed to the host
	Waits    int // captures that an event had to wait for
	Next     int // index of the next event
	Done     bool
}

// Player plays a script on a window. It acts only in Step, which every capture of
// the window calls; it has no goroutine and no clock. Script time starts with the
// first step and runs only while somebody captures. The window's journal keeps the
// position, so that a script continues where it was.
//
// Where the script sets the pace to [Reader], a friend waits for the reader: an event
// is put off until the next capture, and script time with it, if it would move out of
// view a bubble that no capture has shown whole, or leave little in view of what the
// last capture showed.
type Player struct {
	window *drawn.Window
	script Script
	id     string
	speed  float64
	host   func(Event)

	mu      sync.Mutex
	running bool          // since the last step; false at the start and while an event waits
	last    time.Time     // of the last step
	at      time.Duration // script time
	saved   time.Duration // script time in the journal
	stats   Stats
}

// saveEvery is how much script time a crash may repeat while nothing happens.
const saveEvery = 5 * time.Second

// Play attaches a script to a window. If the window's journal has a position in
// this script, it continues there. Another script starts from its beginning.
func Play(window *drawn.Window, script Script, o Options) (*Player, error) {
	if !(o.Speed > 0 && o.Speed <= 1e6) {
		return nil, fmt.Errorf("script: speed is %v, want more than 0, at most 1000000", o.Speed)
	}
	for _, e := range script.Events {
		if e.Host() && o.Host == nil {
			return nil, fmt.Errorf("script: line %d: %q needs a host: set Options.Host", e.Line, e.Do)
		}
	}
	p := &Player{window: window, script: script, id: script.ID(), speed: o.Speed, host: o.Host}
	pos := window.Script()
	if pos.ID != p.id || pos.Next > len(script.Events) {
		pos = drawn.Script{ID: p.id}
		if err := window.Apply(drawn.Change{Op: drawn.OpMark, Script: &pos}); err != nil {
			return nil, fmt.Errorf("script: start: %w", err)
		}
	}
	p.at = time.Duration(pos.MS) * time.Millisecond
	p.saved = p.at
	p.stats.Next = pos.Next
	p.stats.Done = pos.Next == len(script.Events)
	window.Drive(p.Step)
	return p, nil
}

// Stats may be called at any time.
func (p *Player) Stats() Stats {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stats
}

// Step plays what is due at now. It stops after an event for the host; the next
// step plays the rest. An error means that the window refused a change or could
// not write it. The next step tries the same event again.
func (p *Player) Step(now time.Time) error {
	call, err := p.advance(now)
	if call != nil {
		p.host(*call)
	}
	return err
}

func (p *Player) advance(now time.Time) (call *Event, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stats.Done {
		return nil, nil
	}
	if p.running && now.After(p.last) {
		p.at += time.Duration(float64(now.Sub(p.last)) * p.speed)
	}
	p.running, p.last = true, now
	for p.stats.Next < len(p.script.Events) {
		e := p.script.Events[p.stats.Next]
		due := time.Duration(e.AtMS) * time.Millisecond
		if due > p.at {
			return nil, p.save(now)
		}
		acted, err := p.play(e, now)
		if err != nil {
			return nil, fmt.Errorf("script: line %d: %w", e.Line, err)
		}
		if !acted {
			p.at, p.running = due, false
			p.stats.Waits++
			return nil, nil
		}
		if e.Host() {
			return &e, nil
		}
	}
	return nil, nil
}

// play plays one event, unless it has to wait.
func (p *Player) play(e Event, now time.Time) (acted bool, err error) {
	c, err := p.change(e)
	if err != nil {
		return false, err
	}
	c.At = now
	c.Script = &drawn.Script{ID: p.id, Next: p.stats.Next + 1, MS: p.at.Milliseconds()}
	if p.script.waits(p.stats.Next) && (p.window.Hides(c) || p.window.Outruns(c)) {
		return false, nil
	}
	if err := p.window.Apply(c); err != nil {
		return false, err
	}
	p.saved = p.at
	p.stats.Next++
	p.stats.Done = p.stats.Next == len(p.script.Events)
	if e.Do == "" {
		p.stats.Messages++
	} else {
		p.stats.Actions++
	}
	return true, nil
}

// save writes script time to the journal from time to time during a long wait.
func (p *Player) save(now time.Time) error {
	if p.at-p.saved < saveEvery {
		return nil
	}
	pos := drawn.Script{ID: p.id, Next: p.stats.Next, MS: p.at.Milliseconds()}
	if err := p.window.Apply(drawn.Change{Op: drawn.OpMark, At: now, Script: &pos}); err != nil {
		return fmt.Errorf("script: keep position: %w", err)
	}
	p.saved = p.at
	return nil
}

// waits reports whether an event waits for the reader.
func (s Script) waits(event int) bool {
	for _, e := range slices.Backward(s.Events[:event]) {
		if e.Do == Pace {
			return e.Pace == Reader
		}
	}
	return false
}

var errLost = errors.New("the message it means is not in the window's journal")

// change is what an event does to the window. An event for the host changes only
// the position.
func (p *Player) change(e Event) (drawn.Change, error) {
	switch e.Do {
	case "":
		return drawn.Change{Op: drawn.OpAppend, Conversation: e.Conversation, Who: e.Who, Kind: e.Kind, Text: e.Text},
			nil
	case Scroll:
		return drawn.Change{Op: drawn.OpScroll, By: e.By}, nil
	case Resize:
		return drawn.Change{Op: drawn.OpResize, W: e.To[0], H: e.To[1]}, nil
	case Switch:
		return drawn.Change{Op: drawn.OpSwitch, Conversation: e.Conversation}, nil
	case Title:
		return drawn.Change{Op: drawn.OpTitle, Conversation: e.Conversation, Text: e.Text}, nil
	case Type:
		return drawn.Change{Op: drawn.OpType, Text: e.Text}, nil
	case Unsend, Edit:
		i, ok := p.window.FromScript(e.Conversation, p.event(e))
		if !ok {
			return drawn.Change{}, errLost
		}
		return drawn.Change{Op: drawn.Op(e.Do), Conversation: e.Conversation, Index: i, Text: e.Text}, nil
	case Rerender, Hide, Show, Cover, Uncover, Beside, Alone, Blur, Focus, Chats, Chat:
		return drawn.Change{Op: drawn.Op(e.Do)}, nil
	}
	return drawn.Change{Op: drawn.OpMark}, nil
}

// event is the index of the message event that an unsend or edit means.
func (p *Player) event(e Event) int {
	n := 0
	for i, m := range p.script.Events {
		if m.Do == "" && m.Conversation == e.Conversation {
			if n == e.Index {
				return i
			}
			n++
		}
	}
	return -1
}
