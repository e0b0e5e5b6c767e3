package recording

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Decision is what was decided about what was seen, without anything that differs between two runs that
// decide the same: no time, and no id but that of the conversation, which [Log] replaces.
type Decision struct {
	Actor        string      `json:"actor"` // its kind, or its address where that is a window's
	Window       string      `json:"window,omitempty"`
	Conversation string      `json:"conversation,omitempty"`
	What         string      `json:"what"` // the stage and outcome of a verdict, or a message's type
	Rule         events.Rule `json:"rule,omitempty"`
	Match        string      `json:"match,omitempty"`
	Code         string      `json:"code,omitempty"`
	Count        int         `json:"count,omitempty"`
	Of           int         `json:"of,omitempty"`
	Score        int         `json:"score,omitempty"`
	Kind         string      `json:"kind,omitempty"`
	Sender       string      `json:"sender,omitempty"`
	Texts        []string    `json:"texts,omitempty"`
}

// stages are those that decide what was said, and by whom. What the poller and the engine decide
// depends on the moment.
var stages = []events.Stage{events.StageFusion, events.StageSanitize, events.StageDirectory, events.StageDedup,
	events.StageIngress, events.StageBurst, events.StageConversation}

// Decide returns the decision that an event tells; ok is false if it tells none.
func Decide(ev engine.Published) (d Decision, ok bool) {
	d.Actor = ev.From.Kind()
	switch m := ev.Message.(type) {
	case events.Passed:
		return verdict(m.Verdict)
	case events.Dropped:
		return verdict(m.Verdict)
	case messages.MessageDelivered:
		d.Conversation, d.Sender = string(m.Conversation), string(m.Sender)
		for _, part := range m.Parts {
			d.Texts = append(d.Texts, string(part.Text))
		}
	case messages.MessageChanged:
		d.Conversation, d.Kind, d.Sender = string(m.Conversation), string(m.Kind), string(m.Sender)
		d.Texts = []string{string(m.Old), string(m.New)}
	case messages.TranscriptGap:
		d.Conversation, d.Count, d.Of = string(m.Conversation), m.Passed, m.Visible
	case messages.JudgementMade:
		d.Conversation, d.Kind, d.Code = string(m.Conversation), fmt.Sprint(m.Respond), string(m.Source)
	default:
		return d, false
	}
	d.What = ev.Message.MessageType().Name
	return d, true
}

func verdict(v events.Verdict) (Decision, bool) {
	if !slices.Contains(stages, v.Stage) || v.Detail.Rule == events.RuleUnlisted {
		return Decision{}, false
	}
	d := Decision{Actor: v.Actor.Kind(), Window: string(v.Detail.Window), Conversation: string(v.Detail.Conversation),
		What: string(v.Stage) + " " + string(v.Outcome), Rule: v.Detail.Rule, Match: string(v.Detail.Match),
		Code: v.Detail.Code, Count: v.Detail.Count, Of: v.Detail.Of, Score: v.Detail.Score}
	switch d.Actor {
	case messages.ActorFusion:
		d.Actor = string(v.Actor)
	case messages.ActorDedup, messages.ActorIngress, messages.ActorBurst, messages.ActorConversation:
		d.Conversation = cmp.Or(d.Conversation, v.Actor.Key())
	}
	return d, true
}

// Log writes decisions one a line: in the order of their conversations, in which they first occur, and
// in each those of one actor together, since actors do not wait for each other.
func Log(all []Decision) []byte {
	number := map[string]int{"": 0}
	for _, d := range all {
		if _, ok := number[d.Conversation]; !ok {
			number[d.Conversation] = len(number)
		}
	}
	of := func(d Decision) int {
		if strings.HasSuffix(d.Actor, d.Window) && d.Window != "" {
			return 0 // what a window's actor decides stays together too
		}
		return number[d.Conversation]
	}
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(a.Actor, b.Actor))
	})
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for _, d := range all {
		if d.Conversation != "" {
			d.Conversation = fmt.Sprint(number[d.Conversation])
		}
		enc.Encode(d) // plain data into memory
	}
	return out.Bytes()
}
