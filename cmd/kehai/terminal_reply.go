package main

import (
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// reply writes what became of a reply, for the events that report it.
func (t terminal) reply(event messages.Message, called func(messages.ConversationID) string) error {
	switch m := event.(type) {
	case messages.JudgementMade:
		what := "wants no answer"
		if m.Respond {
			what = "wants an answer"
		}
		how := "by rule"
		if m.Source == messages.JudgedByModel {
			how = fmt.Sprintf("the model is %.0f %% sure", 100*m.Confidence)
		}
		return t.step(control.Stamp{Time: m.At}, called(m.Conversation), "judged", what+" ("+how+")")
	case messages.ReplyChanged:
		did, more := changedReply(m)
		return t.step(control.Stamp{Time: m.At}, called(m.Conversation), did, more)
	case messages.SendDone:
		did, more := "confirmed", "it stands in the window"
		if m.Outcome != messages.SendConfirmed {
			did, more = strings.ReplaceAll(string(m.Outcome), "_", " "), string(m.Reason)
		}
		return t.step(control.Stamp{Time: m.At}, called(m.Conversation), did, more)
	}
	return nil
}

// changedReply is what became of a reply, in a word and the rest. Whether it was sent is
// reported by its SendDone.
func changedReply(m messages.ReplyChanged) (did, more string) {
	id := string(control.NewDraftID(m.Conversation, m.Turn, m.Epoch))
	switch m.State {
	case messages.ReplySending:
		return "written", string(m.Text)
	case messages.ReplyDrafted:
		return "waits", fmt.Sprintf("%s (kehai drafts approve %s)", string(m.Text), id)
	case messages.ReplyHeld:
		return "held", fmt.Sprintf("%s (%s)", string(m.Text), describe.Rule(m.Rule, m.Basis.Fallback))
	case messages.ReplyWithdrawn, messages.ReplyRejected:
		return string(m.State), ""
	}
	return "", ""
}

// step writes one step of a reply on a line.
func (t terminal) step(at control.Stamp, to, did, more string) error {
	if did == "" {
		return nil
	}
	var b strings.Builder
	p := t.to(&b)
	p.printf("%s  → %s  %s", p.clock(at), p.name(to), did)
	if more != "" {
		p.printf(": %s", strings.Join(strings.Fields(more), " "))
	}
	p.printf("\n")
	_, err := fmt.Fprint(t.Writer, b.String())
	return err
}
