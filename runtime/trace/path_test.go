package trace

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/snapshot"
)

var pathTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// story is the evidence of a conversation in which nothing was delivered: the
// ledger knows "first" and, 8 s later, "second"; 5 s before that "mine" was sent.
func story(second ledger.Entry, verdicts ...events.Verdict) *Evidence {
	first := ledger.Entry{Occurrence: 1, Side: messages.SideIncoming, Text: "first", SeenAt: pathTime}
	second.Occurrence, second.Text, second.SeenAt = 2, "second", pathTime.Add(8*time.Second)
	if second.Side == "" {
		second.Side = messages.SideIncoming
	}
	ev := newEvidence()
	ev.sent["line:Hana"] = []ingress.Sent{{Text: "mine", At: pathTime.Add(3 * time.Second)}}
	ev.addEntry("line:Hana", first)
	ev.addEntry("line:Hana", second)
	for i, v := range verdicts {
		v.Seq, v.At, v.Trace = uint64(i+1), pathTime.Add(8*time.Second+time.Duration(i)), "t2"
		v.Detail.Conversation, v.Actor = "line:Hana", messages.To(string(v.Stage), "line:Hana")
		ev.verdicts = append(ev.verdicts, v)
	}
	return ev
}

func verdict(stage events.Stage, reason string, d events.Detail) events.Verdict {
	if d.Occurrences == nil && stage != "fusion" {
		d.Occurrences = []messages.Occurrence{2}
	}
	outcome := events.OutcomePassed
	if reason != "" {
		outcome = events.OutcomeDropped
	}
	return events.Verdict{Stage: stage, Outcome: outcome, Reason: reason, Detail: d}
}

func TestOutcomes(t *testing.T) {
	fused := verdict("fusion", "", events.Detail{Rule: "changed", Score: 62})
	entered := verdict("dedup", "", events.Detail{Rule: "aligned", Known: []messages.Occurrence{1, 0}})
	released := verdict("dedup", "", events.Detail{Rule: "released"})
	echo := verdict("ingress", "echo: equals a text sent 5s before", events.Detail{Rule: "echo", Age: 5 * time.Second})
	short := verdict("ingress", "short: equal to a text heard 8s before",
		events.Detail{Rule: "short", Age: 8 * time.Second, Match: "equal"})
	held := verdict("dedup", "first sight: 1 incoming bubbles are history", events.Detail{Rule: "first_sight"})
	for name, c := range map[string]struct {
		ev      *Evidence
		outcome events.Outcome
		rule    events.Rule // of the last step
		steps   string
		matched string // of the last step
	}{
		"echo": {story(ledger.Entry{}, fused, entered, released, echo), events.OutcomeDropped,
			events.RuleEcho, "seen fusion dedup dedup ingress", "0 mine"},
		"short": {story(ledger.Entry{}, fused, entered, released, short), events.OutcomeDropped,
			events.RuleShort, "seen fusion dedup dedup ingress", "1 first"},
		"history": {story(ledger.Entry{}, fused, held), events.OutcomeHistory, events.RuleFirstSight,
			"seen fusion dedup", ""},
		"own": {story(ledger.Entry{Side: messages.SideOwn}, fused, entered), events.OutcomeOwnSide,
			events.RuleAligned, "seen fusion dedup", "1 first"},
		"waits in ledger": {story(ledger.Entry{Waiting: true}, fused, entered), events.OutcomeWaiting,
			events.RuleAligned, "seen fusion dedup", "1 first"},
		"no verdict left": {story(ledger.Entry{}), events.OutcomeHistory, "", "seen", ""},
		"another's echo": {story(ledger.Entry{},
			verdict("ingress", "x", events.Detail{Occurrences: []messages.Occurrence{1}})), events.OutcomeHistory, "",
			"seen", ""},
		"waits in a burst": {story(ledger.Entry{}, entered, released), events.OutcomeWaiting, events.RuleReleased,
			"seen dedup dedup", ""},
	} {
		if name == "waits in a burst" {
			c.ev.buffered["line:Hana"] = burst.Buffer{Parts: []messages.Part{{Occurrence: 2}}}
		}
		p := c.ev.path(mention{place{"line:Hana", 2}, "second", pathTime})
		var steps []string
		for _, s := range p.Steps {
			if s.Stage == events.StageCapture {
				s.Stage = "seen"
			}
			steps = append(steps, string(s.Stage))
		}
		last := p.Steps[len(p.Steps)-1]
		var matched []string
		for _, m := range last.Matched {
			matched = append(matched, fmt.Sprint(m.Occurrence, " ", m.Text))
		}
		if p.Outcome != c.outcome || p.Why == "" || last.Detail.Rule != c.rule || strings.Join(steps, " ") != c.steps ||
			strings.Join(matched, ", ") != c.matched {
			t.Errorf("%s: path is %s (%s) by rule %q, steps %q, matched %q; want %s by %q, %q, %q",
				name, p.Outcome, p.Why, last.Detail.Rule, steps, matched, c.outcome, c.rule, c.steps, c.matched)
		}
	}
}

func TestMailIsPartOfThePath(t *testing.T) {
	ev := story(ledger.Entry{})
	ev.mail = []engine.Envelope{{
		ID: "m7", To: "ingress/line:Hana", At: pathTime.Add(9 * time.Second),
		Message: messages.IncomingBubble{Conversation: "line:Hana", Occurrence: 2, Text: "second"},
	}}
	p := ev.path(mention{place{"line:Hana", 2}, "second", pathTime})
	if last := p.Steps[len(p.Steps)-1]; p.Outcome != events.OutcomeWaiting || last.Outcome != events.OutcomeWaiting ||
		last.Actor != "ingress/line:Hana" {
		t.Errorf("path is %s with last step %+v, want one that waits for ingress", p.Outcome, last)
	}
	ev.mail[0].Message = messages.Detection{Conversation: "line:Hana", Bubbles: []messages.Bubble{{Text: "third"}},
		SeenAt: pathTime}
	list := ev.ByText(control.WhyQuery{Limit: 5, Text: "third"}, nil)
	if len(list) != 1 || list[0].Outcome != events.OutcomeWaiting {
		t.Errorf("ByText(third) = %+v, want the bubble that waits for the ledger", list)
	}
}

func TestVisible(t *testing.T) {
	ev := story(ledger.Entry{})
	shown := []snapshot.Text{{App: "line", Title: "Hana", Text: "second", At: pathTime},
		{App: "line", Title: "Hana", Text: "fourth", At: pathTime}}
	for text, want := range map[string]events.Outcome{"second": events.OutcomeHistory,
		"fourth": events.OutcomeVisible} {
		list := ev.ByText(control.WhyQuery{Limit: 5, Text: text}, shown)
		if len(list) != 1 || list[0].Outcome != want || list[0].Similarity != 1 {
			t.Errorf("ByText(%s) = %+v, want one path that is %s", text, list, want)
		}
	}
}

func TestSimilarity(t *testing.T) {
	for _, c := range []struct {
		asked, read string
		least, most float64
	}{
		{"おはよう", "おはよう", 1, 1},
		{"ＯＫ！", "ok", 1, 1},
		{"👍", "👍", 1, 1},
		{"lunch", "Lunch at 12:30?", 0.6, 0.95},
		{"明日の会議は10時からです", "明日の会議は1O時からです", 0.5, 0.99},
		{"おはよう", "さようなら", 0, 0.49},
		{"そろそろ仕事", "そろそるろ仕事に戻るね", 0.5, 0.95},
		{"写真店", "写真展が今週で終わるみたい", 0.5, 0.7},
		{"at the staton", "We meet at the station tomorrow at ten, bring the tickets", 0.5, 0.7},
		{"see you", "We meet at the station tomorrow at ten, bring the tickets", 0, 0.49},
		{"cat", "We meet at the station tomorrow", 0, 0.49},
		{"了承", "了解です、また明日", 0, 0.49},
		{"", "x", 0, 0},
		{"x", "", 0, 0},
	} {
		if got := similarity(c.asked, c.read); got < c.least || got > c.most {
			t.Errorf("similarity(%q, %q) = %v, want %v to %v", c.asked, c.read, got, c.least, c.most)
		}
	}
}

// What a reply's model was told is shown behind what it recalled; a fixed text was told nothing.
func TestBackground(t *testing.T) {
	ev := &Evidence{Recalled: func(string) (control.Recollection, error) {
		return control.Recollection{Background: []control.Background{{Speaker: "Hana", Text: "likes: tea"},
			{Own: true, Text: "likes: rain"},
			{Text: "earlier: the move"}}}, nil
	}}
	for _, c := range []struct {
		basis messages.ReplyBasis
		want  []string
	}{
		{messages.ReplyBasis{Run: "c-1/run.1", Model: "m"}, []string{"run c-1/run.1; 0 of it", "Hana: likes: tea",
			"you: likes: rain", "known: earlier: the move"}},
		{messages.ReplyBasis{Run: "c-1/run.1", Recalled: 1}, []string{"run c-1/run.1; 1 of it"}},
		{messages.ReplyBasis{Run: "c-1/run.1"}, nil},
		{messages.ReplyBasis{Model: "m"}, nil},
	} {
		p := &control.Path{}
		ev.remembers(p, &replied{changes: []messages.ReplyChanged{{Basis: c.basis}}})
		if len(p.Steps) != len(c.want) {
			t.Errorf("of %+v it shows %v, want %d steps", c.basis, p.Steps, len(c.want))
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(p.Steps[i].What, want) {
				t.Errorf("step %d = %q, want %q", i, p.Steps[i].What, want)
			}
		}
	}
}
