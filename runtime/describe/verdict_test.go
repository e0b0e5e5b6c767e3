package describe

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

func drop(s events.Stage, r events.Rule, d events.Detail) events.Verdict {
	d.Rule = r
	return events.Verdict{Stage: s, Outcome: events.OutcomeDropped, Detail: d}
}

func let(s events.Stage, r events.Rule, d events.Detail) events.Verdict {
	d.Rule = r
	return events.Verdict{Stage: s, Outcome: events.OutcomePassed, Detail: d}
}

func TestVerdict(t *testing.T) {
	one, three := []messages.Occurrence{5}, []messages.Occurrence{5, 6, 7}
	aged := events.Detail{Match: "equal", Age: 1234567 * time.Microsecond}
	similar := events.Detail{Match: "similar", Age: time.Second}
	for _, c := range []struct {
		in   events.Verdict
		want string
	}{
		{drop("poller", events.RuleUnsettled, events.Detail{Count: 5}),
			"frame given up: fusion did not settle it in 5 polls"},
		{drop("poller", events.RuleBaselineReset, events.Detail{Count: 2}),
			"baseline reset: 2 captures in a row missed their deadline"},
		{drop("ocr", events.RuleGivenUp, events.Detail{Count: 5, Code: "panic"}),
			"frame given up after 5 calls: panic"},
		{drop("ocr", events.RuleTriedAgain, events.Detail{Count: 2, Code: "panic"}),
			"reading failed after 2 attempts and is tried again: panic"},
		{drop("ocr", events.RuleUnread, events.Detail{Note: "3 lines are too small"}), "3 lines are too small"},
		{drop("ocr", events.RuleUnread, events.Detail{Code: "lines", Count: 7, Of: 400}),
			"7 lines beyond the first 400 of a bubble"},
		{drop("ocr", events.RuleUnread, events.Detail{Code: "doubtful_in_title", Count: 2, Of: 25}),
			"lines below confidence 0.25 in the title: 2"},
		{drop("mask", events.RuleLeftOut, events.Detail{Code: "middle", Count: 1}), "lines in the middle: 1"},
		{drop("mask", events.RuleLeftOut, events.Detail{Code: "of_tomorrow", Count: 1}), "of_tomorrow: 1"},
		{drop("fusion", events.RuleUnchanged, events.Detail{Score: 35, Of: 60}),
			"score 35 is below 60: other pixels, the same content"},
		{drop("fusion", events.RuleUnchanged, events.Detail{Score: 100, Of: 60}),
			"score 100, but the same content: another reading is waited for"},
		{drop("fusion", events.RuleEcho, aged), "echo: equal a text sent 1.235s before"},
		{drop("dedup", events.RuleFirstSight, events.Detail{Count: 1}), "first sight: 1 incoming bubbles are history"},
		{drop("dedup", events.RuleBack, events.Detail{Match: "more"}),
			"scrolled back to read what went by unseen: more"},
		{drop("catchup", events.RulePaused, events.Detail{Code: "busy"}),
			"what went by unseen is read later: somebody uses the mouse or the keyboard"},
		{drop("catchup", events.RuleStopped, events.Detail{Code: "limit", Count: 200}),
			"scrolled back over 200 screens: what was known was not found within rules.catch_up.screens"},
		{let("catchup", events.RuleLowered, events.Detail{}),
			"left at an older position for too long: turned to the newest one"},
		{drop("dedup", events.RuleGap, events.Detail{Count: 2, Match: events.BorderDate}),
			"gap: 2 incoming bubbles stand before the newest date mark"},
		{drop("dedup", events.RuleGap, events.Detail{Count: 1, Match: events.BorderOwn}),
			"gap: 1 incoming bubbles stand before the last own one"},
		{drop("fusion", events.RuleBare, events.Detail{Count: 3}),
			"3 blocks of text stand in no bubble: nothing shows that they are messages"},
		{drop("dedup", events.RuleCutOff, events.Detail{Count: 8, Of: 208}),
			"208 bubbles in one view: the upper 8 are left out"},
		{drop("dedup", events.RuleFingerprint, aged), "fingerprint: equal to a text seen 1.235s before"},
		{drop("dedup", events.RuleLineMemory, events.Detail{Count: 1, Age: 30 * time.Second}),
			"line memory: all 1 lines were seen, the newest 30s before"},
		{drop("dedup", events.RuleLineMemory, events.Detail{}),
			"line memory: it has no line that is long enough to be new"},
		{drop("ingress", events.RuleRepeat, events.Detail{Occurrences: one}),
			"repeat: this occurrence was taken before"},
		{drop("burst", events.RuleRepeat, events.Detail{Occurrences: one}), "occurrence 5 was taken before"},
		{drop("conversation", events.RuleRepeat, events.Detail{Message: "id1"}), "message id1 was delivered before"},
		{drop("ingress", events.RuleShort, aged), "short: equal to a text heard 1.235s before"},
		{drop("ingress", events.RuleCommon, similar), "common: like a text heard 1s before"},
		{drop("burst", events.RuleSameLine, events.Detail{}), "the burst says the same already"},
		{drop("burst", events.RuleSameLine, events.Detail{Count: 1}), "the burst has 1 of its lines already"},
		{drop("conversation", events.RuleSaidAlready, events.Detail{Match: "edited", Message: "id4"}),
			"edited: the message id4 says so already"},
		{drop("conversation", events.RuleNotDelivered, events.Detail{Match: "edited", Occurrences: one}),
			"edited: occurrence 5 was not delivered, or so long ago that it is not kept"},
		{drop("conversation", events.RuleLate, events.Detail{}),
			"it is about something that has become another meanwhile"},
		{drop("pcusage", events.RuleUnavailable, events.Detail{Code: messages.CodeNoDisplay, Note: "no display"}),
			"the computer's use cannot be read (no_display): no display"},
		{drop("notifier", events.RuleUnavailable, events.Detail{Code: "timeout", Note: "10s"}),
			"the desktop does not show notices (timeout): 10s"},
		{events.Verdict{Stage: "deliver", Actor: "printer/a", Outcome: events.OutcomeDropped,
			Detail: events.Detail{Rule: events.RuleNoActor}},
			`no actor kind "printer" in this runtime; durable mail waits in the store`},
		{events.Verdict{Stage: "deliver", Actor: "printer/pool", Outcome: events.OutcomeDropped,
			Detail: events.Detail{Rule: events.RuleNoWorker}},
			`no workers of kind "printer" in this runtime; whoever asked is told`},
		{drop("deliver", events.RuleNewerType, events.Detail{}),
			"a message of a type that this program does not know waits, with all behind it: upgrade Kehai here"},
		{drop("deliver", events.RuleForgotten, events.Detail{}), "it is about a conversation that is being forgotten"},
		// of a host's own actor
		{drop("print", "empty", events.Detail{}), "dropped by rule empty"},
		{drop("print", "failed", events.Detail{Note: "no paper"}), "dropped by rule failed: no paper"},
		{let("print", "fast", events.Detail{}), "passed by rule fast"},
		{let("print", "", events.Detail{}), "passed"},
		// stored before rules had names
		{events.Verdict{Stage: "burst", Outcome: events.OutcomeDropped, Reason: "occurrence 5 was taken before",
			Detail: events.Detail{Rule: "repeat"}}, "occurrence 5 was taken before"},

		{let("fusion", events.RuleChanged,
			events.Detail{Window: "w", Score: 62, Confidence: "medium",
				Signals: []events.Signalled{{Signal: "text_changed", Score: 62}}}),
			"the content of window w has changed: score 62, medium (text changed 62)"},
		{let("dedup", events.RuleReleased, events.Detail{Occurrences: three}), "passed on: occurrences 5 to 7"},
		{let("dedup", events.RuleOwn, events.Detail{Occurrences: one}), "our side wrote: occurrence 5"},
		{let("dedup", events.RuleAligned, events.Detail{Known: []messages.Occurrence{4, 0}, Occurrences: one}),
			"1 of 2 bubbles are known; new: occurrence 5"},
		{let("dedup", events.RuleEdited, events.Detail{Occurrences: one}), "occurrence 5 was edited"},
		{let("ingress", events.RuleNew, events.Detail{}), "no echo, and no repeat"},
		{let("ingress", events.RulePlace, events.Detail{Match: "short", Age: time.Second}),
			"a text equal to it was heard 1s before, but its place proves it new"},
		{let("burst", events.RuleQuiet, events.Detail{Message: "id1"}), "nothing more came: passed on as message id1"},
		{let("conversation", events.RuleDelivered, events.Detail{Message: "id1"}), "delivered as message id1"},
		{let("conversation", events.RuleUnsent, events.Detail{Occurrences: []messages.Occurrence{5, 9}}),
			"occurrences [5 9] was taken back, published"},
	} {
		if got := Verdict(c.in); got != c.want {
			t.Errorf("Verdict(%s, %s) = %q, want %q", c.in.Stage, c.in.Detail.Rule, got, c.want)
		}
	}
}

// A rule of ours without a sentence would be described by its name alone.
func TestEachRuleHasASentence(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "../../messages/events/rule.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	passing := []events.Stage{events.StageFusion, events.StageDedup, events.StageIngress, events.StageBurst,
		events.StageConversation, events.StageOutbound}
	rules := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Rule") {
			return true
		}
		lit, ok := spec.Values[0].(*ast.BasicLit)
		if !ok { // the kinds of changes
			return true
		}
		rules++
		rule := events.Rule(strings.Trim(lit.Value, `"`))
		_, said := drops[rule]
		for _, s := range passing {
			got := Verdict(let(s, rule, events.Detail{}))
			said = said || !strings.Contains(got, "rule "+string(rule)) &&
				got != Verdict(let(s, "no such rule", events.Detail{}))
		}
		if !said && rule != events.RuleChanged && rule != events.RuleNew {
			t.Errorf("rule %s has no sentence: add one to verdict.go", rule)
		}
		return true
	})
	if rules < 50 {
		t.Errorf("found %d rules in messages/events/rule.go, want at least 50: does this test still find them?", rules)
	}
}

// Each state that a person can mend has a hint of its own.
func TestHints(t *testing.T) {
	hints := map[string]bool{}
	for _, hint := range []string{
		UnknownHint(events.UnknownTitle), UnknownHint(events.UnknownAlike),
		SidesHint(events.SidesState{Unknown: true, Bubbles: 1}),
		SidesHint(events.SidesState{Unknown: true, Bare: 1}),
		SidesHint(events.SidesState{Unknown: true, Bubbles: 2, Rows: 2}),
	} {
		if hints[hint] || !strings.Contains(hint, ":") {
			t.Errorf("hint %q, want one of its own that says what to do", hint)
		}
		hints[hint] = true
	}
}
