//go:build browser

package web

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// steered puts what steers around each text that a page is told. What names something for a request, or
// is one of a few words that Kehai knows, stays as it is.
const steered = `(() => {
	const told = new Set(["text", "content", "name", "title", "sender", "detail", "why", "what", "error", "last_error",
		"called", "app", "reasoning", "theme", "summary", "jtbd", "goal", "rule", "model", "new", "old", "version",
		"node", "desk", "cluster", "leader", "speaker", "topic", "address", "stamp", "items", "problems"]);
	const parse = JSON.parse, around = (s) => (typeof s === "string" && s ? "\u202e" + s + "\u2069\u200b\u2028" : s);
	JSON.parse = (raw) => parse(raw, (k, v) => (!told.has(k) ? v : Array.isArray(v) ? v.map(around) : around(v)));
	Response.prototype.json = async function () { return JSON.parse(await this.text()); };
})()`

// steering is what of a page still steers, and how many texts were made plain.
const steering = `(() => {
	const bad = /(?![\t\n])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u, found = [];
	let plain = 0;
	const look = (what, s) => {
		if (bad.test(s)) found.push(what + " " + JSON.stringify(s));
		if (s.includes("\ufffd")) plain++;
	};
	for (const e of document.querySelectorAll("body, body *")) {
		for (const a of e.attributes) if (!a.name.startsWith("data-")) look(e.tagName + "@" + a.name, a.value);
		for (const c of e.childNodes) if (c.nodeType === Node.TEXT_NODE) look(e.tagName, c.data);
		if (e.tagName === "TEXTAREA" || e.tagName === "INPUT") look(e.tagName + ".value", e.value);
	}
	return { found, plain };
})()`

// wantPlain checks that nothing on a page steers, where at least so many texts would have.
func (p *tab) wantPlain(what string, least int) {
	p.t.Helper()
	got := eval[struct {
		Found []string
		Plain int
	}](p, steering)
	if len(got.Found) > 0 {
		p.t.Errorf("on %s still steer: %q", what, got.Found)
	}
	if got.Plain < least {
		p.t.Errorf("on %s %d texts were made plain, want at least %d: what was to steer is not there", what, got.Plain,
			least)
	}
}

// TestNothingSteersInABrowser: whatever a page is told, nothing of it changes the direction of what
// stands around it, or hides.
func TestNothingSteersInABrowser(t *testing.T) {
	sc := newScene(t)
	sc.attend(time.Now(), week(time.Now()))
	sc.status.Cluster = &control.Cluster{Cluster: "c-test", Node: "a", Running: true, Leader: "a", Ready: true,
		Members: []control.ClusterMember{{Node: "a", Role: "voter", Up: true}, {Node: "b", Role: "voter", Up: true}}}
	live := serve(t, &sc.host)
	live.Listen(sc.hana.seen(t))
	sc.trouble(live)
	m := &mindful{Talker: newTalker()}
	memory, _ := serveTalk(t, m, "")
	k := newTalker()
	k.insights()
	k.says(control.RoleUser, "hello", "phone")
	k.led = &messages.InterviewProgress{State: "deepening", Turns: 3, MaxTurns: 12, Items: []messages.Text{"trains"}}
	k.drafts = []control.Draft{{ID: "c-1/9.1", Conversation: "c-1", State: messages.ReplyDrafted, Text: "At ten?",
		Rule: "policy", Judged: messages.JudgedByModel, Confidence: .8, Model: "m"}}
	talks, _ := serveTalk(t, k, "")
	b := startBrowser(t)
	tab := func(s *Server, path string) *tab {
		p := b.tab(look{w: 1280, h: 900})
		p.do("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": steered}, nil)
		p.do("Page.navigate", map[string]any{"url": strings.Replace(s.URL(), "/#", path+"#", 1)}, nil)
		p.until(`document.getElementById("link")?.textContent === "live"`)
		return p
	}
	p := tab(live, "/")
	p.until(allDrawn + ` && document.querySelector(".screen img") &&
		document.querySelectorAll("#messages .said").length > 5`)
	eval[bool](p, `(document.querySelector("rect").focus({ preventScroll: true }), true)`)
	p.until(`!document.getElementById("tip").hidden`)
	p.wantPlain("the live page", 50)
	p.close()

	p = tab(talks, "/chat")
	p.until(`talk.last !== "" && document.querySelector("[data-draft]")`)
	p.click(`[data-id="m1"] .meta button`)
	p.until(`document.querySelector("[data-id='m1'] .ways")?.textContent.includes("said on the web")`)
	k.set(func(k *talker) { k.token = &control.Token{Turn: 1, Epoch: 1, Content: "half a rep"} })
	p.until(`writing.textContent.includes("half a rep")`)
	p.wantPlain("the page of conversations", 11)
	if !eval[bool](p, `document.querySelector(".draft textarea").value.startsWith("\ufffdAt ten?")`) ||
		eval[bool](p, `document.querySelector(".draft .main").disabled`) {
		t.Error("the draft cannot be sent, or is shown as something else")
	}
	p.close()

	p = tab(talks, "/insights")
	p.until(`document.querySelectorAll("[data-card]").length === 2`)
	p.wantPlain("the page of insights", 8)
	p.close()

	p = tab(memory, "/memory")
	eval[bool](p, `(el("words").value = "どこ", el("words").dispatchEvent(new Event("input")), true)`)
	p.until(`document.querySelectorAll("[data-hit]").length === 1`)
	p.click("[data-hit] button")
	p.until(`document.querySelector("[data-event=m1]")`)
	p.wantPlain("the page of the memory", 2)
	p.close()
	b.wantNoComplaints()
}

// The page's script and the terminal have the same rule.
func TestThePageHasTheRuleOfTheTerminalInABrowser(t *testing.T) {
	s, _ := serveTalk(t, newTalker(), "")
	p := startBrowser(t).page(s, "/chat", look{w: 800, h: 600})
	p.until(`typeof plain === "function"`)
	changed := map[rune]bool{}
	for _, r := range eval[[]rune](p, `Array.from({ length: 0x110000 }, (_, r) => r).filter((r) =>
		(r < 0xd800 || r > 0xdfff) && plain(String.fromCodePoint(r)) !== String.fromCodePoint(r))`) {
		changed[r] = true
	}
	for r := range rune(unicode.MaxRune + 1) {
		if r >= 0xd800 && r <= 0xdfff {
			continue
		}
		if want := describe.Steers(r) && r != '\n' && r != '\t'; changed[r] != want {
			t.Errorf("plain(%U) changes it: %v, want %v", r, changed[r], want)
		}
	}
	for in, want := range map[string]string{
		"👩\u200d👩\u200d👧 ❤️\u200d🔥 👩🏽\u200d🚀": "👩\u200d👩\u200d👧 ❤️\u200d🔥 👩🏽\u200d🚀",
		"a\u200db\u200d": "a\ufffdb\ufffd", "one\r\ntwo\tthree": "one\ntwo\tthree",
	} {
		if got := eval[string](p, fmt.Sprintf("plain(%q)", in)); got != want {
			t.Errorf("plain(%q) = %q, want %q", in, got, want)
		}
	}
}
