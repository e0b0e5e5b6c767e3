package replay

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// act carries out what the script wants of the host.
func (p *playback) act() error {
	for len(p.host) > 0 {
		e := p.host[0]
		p.host = p.host[1:]
		var err error
		switch e.Do {
		case script.Restart:
			p.drain(p.cfg.Shutdown.Drain)
			err = p.boot(e.DownMS)
		case script.Crash:
			err = p.crash(e.DownMS)
		case script.ResetBaseline:
			id := messages.WindowID(p.cfg.Windows[0].Name + "@" + p.cfg.Node)
			err = p.sim.Deliver(messages.To(messages.ActorPoller, string(id)), messages.ResetBaseline{Window: id})
		case script.Send:
			err = p.send(e.Text)
		default:
			err = fmt.Errorf("unknown verb %q", e.Do)
		}
		if err != nil {
			return fmt.Errorf("replay: line %d: %s: %w", e.Line, e.Do, err)
		}
	}
	return nil
}

// drain stops the poller and waits until nothing is under way.
func (p *playback) drain(limit time.Duration) {
	e := p.sim.Control()
	e.StopSources()
	p.sim.Settle()
	end := p.now().Add(limit)
	for !e.Engine().Left(p.cfg.Burst.Cap).None() && p.now().Before(end) {
		due, ok := e.NextTimer()
		if !ok {
			return
		}
		p.sim.Advance(min(max(0, due.Sub(p.now())), end.Sub(p.now())))
	}
}

// crash ends a life at some moment during the work on the frame just captured.
func (p *playback) crash(downMS int64) error {
	p.sim.Advance(time.Duration(p.rng.Int64N(int64(3 * latency))))
	for range p.rng.IntN(12) {
		p.sim.Step()
	}
	return p.boot(downMS)
}

// heardLast is the conversation of this name that was heard last: a noisy reader may have made several of
// one chat, and a host answers the message that it was given. why is the error if none was heard.
func (p *playback) heardLast(name string, why error) (messages.ConversationID, error) {
	for _, m := range slices.Backward(p.recorder.got) {
		if strings.HasPrefix(p.sim.Called(m.id), name) {
			return m.id, nil
		}
	}
	return "", why
}

// send does what the outbound side of a runtime does.
func (p *playback) send(text messages.Text) error {
	title := p.window.Title()
	id, err := p.sim.Conversation(p.cfg.Windows[0].App, title)
	if errors.Is(err, control.ErrNotClear) {
		id, err = p.heardLast(p.cfg.Windows[0].App+":"+title, err)
	}
	if err != nil {
		return err
	}
	p.sends++
	if err := p.sim.Sending(id, text, fmt.Sprintf("replay-%d", p.sends)); err != nil {
		return err
	}
	p.recorder.sent = append(p.recorder.sent, said{conversation: title, texts: []string{string(text)}})
	return p.window.Send(text)
}
