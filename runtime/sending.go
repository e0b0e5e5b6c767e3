package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Sending says that a text is about to be sent into a conversation, so that it
// is not taken for somebody else's when it is read back. Call it before the first
// key is pressed; type nothing if it returns an error. Once it returns nil, all who
// read have it in their store. trace names the sending: calling it again with the
// same text and trace, for another attempt, renews it.
func (r *Runtime) Sending(ctx context.Context, c messages.ConversationID, text messages.Text, trace string) error {
	sent := messages.TextSent{Conversation: c, Text: text, Trace: trace, At: time.Now()}
	for _, to := range r.plan.readers(c) {
		if err := r.Inject(ctx, to, sent, ""); err != nil {
			return fmt.Errorf("runtime: sending %s: tell %s before anything is typed: %w", trace, to, err)
		}
	}
	return nil
}

// readers are the actors that must know what is sent into a conversation.
func (p *plan) readers(c messages.ConversationID) []messages.Address {
	list := []messages.Address{messages.To("ingress", string(c))}
	for _, id := range p.windows {
		list = append(list, messages.To("fusion", string(id)))
	}
	return list
}
