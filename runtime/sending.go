package runtime

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/admin"
)

// Sending says that a text is about to be sent into a conversation, so that it
// is not taken for somebody else's when it is read back. Call it before the first
// key is pressed; type nothing if it returns an error. Once it returns nil, all who
// read have it in their store. trace names the sending: calling it again with the
// same text and trace, for another attempt, renews it.
func (r *Runtime) Sending(ctx context.Context, c messages.ConversationID, text messages.Text, trace string) error {
	return r.sending(c, text, trace, func(to messages.Address, m messages.Message) error { return r.Inject(ctx, to, m, "") })
}

func (r *Runtime) sending(c messages.ConversationID, text messages.Text, trace string, inject func(messages.Address, messages.Message) error) error {
	sent := messages.TextSent{Conversation: c, Text: text, Trace: trace, At: r.now()}
	for _, to := range r.plan.readers(c) {
		if err := inject(to, sent); err != nil {
			return fmt.Errorf("runtime: sending %s: tell %s before anything is typed: %w", trace, to, err)
		}
	}
	return nil
}

// Typing says that keys are about to be pressed in a window, for at most d from
// now: it is not captured meanwhile, so that half a text is never taken for
// news. Call it again to go on, and with 0 as soon as the last key was pressed;
// what came meanwhile is read then. More than messages.MaxTyping at once does not
// count: whoever forgets to end it, or dies, makes nobody wait for long.
// The window is named as in the configuration, with or without its node.
func (r *Runtime) Typing(ctx context.Context, window string, d time.Duration) error {
	e, err := r.running()
	if err != nil {
		return err
	}
	if window == "" {
		return errors.New("runtime: typing: want the name of a window")
	}
	id, err := admin.FindWindow(r.cfg, window)
	if err != nil {
		return fmt.Errorf("runtime: typing: %w", err)
	}
	return e.Inject(ctx, messages.To("poller", string(id)), messages.Typing{Window: id, Until: time.Now().Add(d)}, "")
}

// now is the time of this moment, in a simulation its own.
func (r *Runtime) now() time.Time { return r.clock() }

// readers are the actors that must know what is sent into a conversation.
func (p *plan) readers(c messages.ConversationID) []messages.Address {
	list := []messages.Address{messages.To("ingress", string(c))}
	for _, id := range p.windows {
		list = append(list, messages.To("fusion", string(id)))
	}
	return list
}
