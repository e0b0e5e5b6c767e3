//go:build browser

package web

import (
	"os"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// axe is where `make browser` puts axe-core.
const axe = "../../bin/axe/node_modules/axe-core/axe.min.js"

// wantNoBarriers checks that axe-core finds nothing serious on a page.
func (p *tab) wantNoBarriers(what string) {
	p.t.Helper()
	script, err := os.ReadFile(axe)
	if err != nil {
		p.t.Fatalf("%v: make browser installs it", err)
	}
	eval[bool](p, string(script)+"\n; true")
	found := eval[string](p, `axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations
		.filter((v) => ["serious", "critical"].includes(v.impact))
		.map((v) => v.id + " " + v.help + ": " + v.nodes.map((n) => n.target.join(" ") + " " + n.failureSummary)
			.slice(0, 4).join("; ")).join("\n") + (r.passes.length ? "" : "nothing was looked at"))`)
	if found != "" {
		p.t.Errorf("%s has barriers:\n%s", what, found)
	}
}

// insights are two cards, one of which has grown.
func (k *talker) insights() {
	at := func(n int) time.Time { return t0.AddDate(0, 0, n) }
	point := func(n int, level messages.InsightLevel) messages.InsightPoint {
		return messages.InsightPoint{At: at(n), Frequency: n, Quotes: n, Confidence: float64(n) / 4, Level: level}
	}
	quote := func(n int, text messages.Text) messages.InsightQuote {
		return messages.InsightQuote{Text: text, Conversation: "c-1", At: at(n)}
	}
	k.set(func(k *talker) {
		k.found = []control.Insights{{Project: "p-1", Name: "mornings", Goal: "why mornings are hard", Finished: 3,
			Analysed: 2, Cards: []messages.InsightCard{
				{ID: "i-1", Theme: "満員電車 <b>", Summary: "Trains are full.", JTBD: "To sit.", Severity: 4, Frequency: 2,
					Messages: 3, Confidence: .5, Level: messages.InsightMedium,
					Quotes: []messages.InsightQuote{quote(1, "\u202ethe train"), quote(2, "電車がつらい")},
					Growth: []messages.InsightPoint{point(1, messages.InsightLow), point(2, messages.InsightMedium)}},
				{ID: "i-2", Theme: "alarm", KeywordOnly: true, Frequency: 1, Messages: 1, Confidence: .25,
					Level: messages.InsightLow, Quotes: []messages.InsightQuote{quote(1, "the alarm")},
					Growth: []messages.InsightPoint{point(1, messages.InsightLow)}},
			}}}
	})
}

// TestInsightsInABrowser: the cards with their quotes, and how they grew; a new look keeps
// open what was opened.
func TestInsightsInABrowser(t *testing.T) {
	k := newTalker()
	k.insights()
	s, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	for _, l := range []look{{w: 1280, h: 900}, {w: 390, h: 844, dark: true}} {
		p := b.page(s, "/insights", l)
		p.until(`document.querySelectorAll("[data-card]").length === 2`)
		p.wantText("[data-card=i-1] h3", "M 満員電車 <b>")
		p.wantText("[data-card=i-1] .meta", "severity 4 of 5 2 interviews 3 messages 50 % sure")
		p.wantText("[data-card=i-2] .meta", "keyword 1 interview 1 message 25 % sure")
		if n := eval[int](p, `document.querySelectorAll("[data-card=i-1] blockquote").length`); n != 2 {
			t.Errorf("%d quotes, want both", n)
		}
		p.click("[data-card=i-1] summary")
		p.until(`document.querySelector("[data-card=i-1] details").open`)
		if n := eval[int](p, `document.querySelectorAll("[data-card=i-1] details li").length`); n != 2 {
			t.Errorf("grew in %d steps, want two", n)
		}
		p.wantNoBarriers("the page of insights")
		eval[bool](p, `(drawn = "", look().then(() => true))`)
		if !eval[bool](p, `document.querySelector("[data-card=i-1] details").open`) {
			t.Error("a new look closes what was opened")
		}
		p.shoot("insights")
		p.close()
	}
	b.wantNoComplaints()
}

// TestBarriersInABrowser: nothing serious keeps people out of the chat page, with all that
// it can show at a time.
func TestBarriersInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello", "phone")
	k.says(control.RoleAssistant, "おはよう")
	k.led = &messages.InterviewProgress{State: "deepening", Turns: 3, MaxTurns: 12, MaxDeep: 2,
		Items: []messages.Text{"trains"}}
	k.drafts = []control.Draft{{ID: "c-1/9.1", Conversation: "c-1", State: messages.ReplyDrafted, Text: "At ten?",
		Rule: "policy", Judged: messages.JudgedByModel, Confidence: .8, Model: "m"}}
	s, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	for _, l := range []look{{w: 1280, h: 900}, {w: 390, h: 844, dark: true}} {
		p := b.talks(s, l)
		k.set(func(k *talker) { k.token = &control.Token{Turn: 1, Epoch: 1, Content: "half a rep"} })
		p.until(`writing.textContent === "half a rep" && document.querySelector("[data-draft]")`)
		p.click(`[data-id="m2"] .meta button`)
		p.until(`document.querySelector("[data-id='m2'] .ways")?.textContent.includes("said on the web")`)
		p.wantNoBarriers("the chat page")
		p.close()
	}
}

// TestTheOnlyConversationInABrowser is open without being asked for.
func TestTheOnlyConversationInABrowser(t *testing.T) {
	k := newTalker()
	k.says(control.RoleUser, "hello")
	s, _ := serveTalk(t, k, "")
	p := startBrowser(t).page(s, "/chat", look{w: 1280, h: 900})
	p.until(bubbles + ` === "theirs hello"`)
}
