package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

func TestClean(t *testing.T) {
	for in, want := range map[string]string{
		"はな & Ken ✓":            "はな & Ken ✓",
		"a\x1b[2Jb\tc\x9b":      "a�[2Jb�c�",
		"a\u009bb\u007f":        "a�b�",
		"two\nlines\r":          "two ⏎ lines�",
		"\u202egnp.exe\u2066":   "�gnp.exe�",
		"a\u200bb\ufeffc\u00ad": "a�b�c�",
		"a\u2028b\u2029c":       "a�b�c",
		"hidden\U000e0041":      "hidden�",
		"a\u200db":              "a�b",
		"a\u200d👩":              "a�👩",
		"👩\u200da":              "👩�a",
		"\u200d👩\u200d":         "�👩�",
		"👩\u200d\u200d👩":        "👩��👩",
		"👩\u200d👩\u200d👧 ❤️\u200d🔥 🏳️\u200d🌈 👍🏽": "👩\u200d👩\u200d👧 ❤️\u200d🔥 🏳️\u200d🌈 👍🏽",
		"👩🏽\u200d⚕️": "👩🏽\u200d⚕️",
	} {
		got := clean(in)
		if got != want {
			t.Errorf("clean(%q) = %q, want %q", in, got, want)
		}
		if again := clean(got); again != got {
			t.Errorf("clean(%q) = %q, want it unchanged", got, again)
		}
	}
}

// Rows of a table end where a terminal draws them: most characters of Japanese
// are two places wide, an emoji of several runes is too.
func TestTable(t *testing.T) {
	var tb table
	tb.row("WHO", "N", "SAYS")
	tb.row("はな", 12, "おはよう")
	tb.row("👩\u200d👩\u200d👧", 3, "two\nlines")
	tb.row("ｶﾅ", 4, "")
	tb.row("e\u0301", 5, "\x1b[2J")
	var left, right bytes.Buffer
	if err := errors.Join(tb.write(&left), (&table{right: true, rows: tb.rows}).write(&right)); err != nil {
		t.Fatal(err)
	}
	const wantLeft = "WHO   N   SAYS\nはな  12  おはよう\n👩\u200d👩\u200d👧    3   two ⏎ lines\n" +
		"ｶﾅ    4\ne\u0301     5   �[2J\n"
	if left.String() != wantLeft {
		t.Errorf("table =\n%swant\n%s", &left, wantLeft)
	}
	const wantRight = "   WHO   N         SAYS\n  はな  12     おはよう\n    👩\u200d👩\u200d👧   3  two ⏎ lines\n" +
		"    ｶﾅ   4\n     e\u0301   5         �[2J\n"
	if right.String() != wantRight {
		t.Errorf("table, right =\n%swant\n%s", &right, wantRight)
	}
}

// Whatever a verb shows of what others wrote, it steers no terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	const evil = "a\x1b]0;owned\x07\u202eb\nc"
	at := control.Stamp{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	part := control.Part{Kind: messages.KindText, Text: evil, Edited: evil}
	entry := func(e control.Entry) func(terminal) error {
		e.Conversation, e.SeenAt = evil, at
		return func(out terminal) error { return out.entry(e) }
	}
	for name, show := range map[string]func(terminal) error{
		"message": entry(control.Entry{Message: &control.Message{Sender: evil, Parts: []control.Part{part}}}),
		"change":  entry(control.Entry{Change: &control.Change{Kind: evil, Sender: evil, Old: evil, New: evil}}),
		"gap":     entry(control.Entry{Gap: &control.Gap{Window: evil, What: evil}}),
		"reply": entry(control.Entry{Reply: &control.Reply{ID: evil, State: control.ReplyUnknown, Text: evil,
			Reason: evil, Answers: []messages.MessageID{evil}}}),
		"status": func(out terminal) error {
			return showStatus(out, control.Status{
				Running: true, Version: evil, Problems: []string{evil},
				Paused: []control.Paused{{Window: evil}},
				Actors: []engine.ActorInfo{{Address: evil, LastError: evil}},
				Pools:  []engine.PoolInfo{{Kind: evil}},
				LLM:    &control.LLM{Off: evil, Purposes: []control.LLMUse{{Purpose: evil, Model: evil}}},
			})
		},
		"why": func(out terminal) error {
			matched := []control.Matched{{Text: evil}}
			step := control.Step{Stage: evil, Outcome: evil, What: evil, Count: 2, Matched: matched}
			path := control.Path{Conversation: evil, Outcome: evil, Why: evil, Text: evil, Steps: []control.Step{step}}
			return showWhy(out, control.Why{
				Paths: []control.Path{path}, Recent: []control.Step{step}, Notes: []string{evil},
			})
		},
		"doctor": func(out terminal) error {
			v := doctorVerb{app: &app{stdout: out, stderr: out}}
			err := v.report([]finding{{what: "x", need: true, text: evil, mend: evil}})
			if !errors.Is(err, errReported) {
				return errors.New("report() found nothing")
			}
			return nil
		},
		"error": func(out terminal) error { return out.printf("%v %q\n", errors.New(evil), evil) },
	} {
		var b bytes.Buffer
		if err := show(terminal{Writer: &b}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(b.String(), "owned") || strings.ContainsAny(b.String(), "\x1b\x07\u202e") {
			t.Errorf("%s shows %q, want the text without what steers a terminal", name, b.String())
		}
	}
}

// The help groups all verbs, those of every day first, and each has an example.
func TestEveryVerbHasAGroupAndAnExample(t *testing.T) {
	root := (&app{}).root()
	var names []string
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		if cmd.Example == "" && !cmd.Hidden {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		if text := cmd.Long + cmd.Example; strings.Contains(text, "$(cat") || strings.Contains(text, "`cat") {
			t.Errorf("the help of %s puts a secret into a command line, which other users see in ps: "+
				"have the program read it from a file or a pipe", cmd.CommandPath())
		}
		for _, sub := range cmd.Commands() {
			check(sub)
		}
	}
	check(root)
	for _, cmd := range root.Commands() {
		names = append(names, cmd.Name())
		if cmd.GroupID == "" && !cmd.IsAdditionalHelpTopicCommand() {
			t.Errorf("%s is in no group", cmd.Name())
		}
	}
	if got, want := strings.Join(names[:5], " "), "run watch messages drafts doctor"; got != want {
		t.Errorf("the first verbs are %q, want %q", got, want)
	}
}

// The questions to the language model are shown by purpose, and so is the reason why it is not asked.
func TestStatusShowsTheLanguageModel(t *testing.T) {
	for want, m := range map[string]*control.LLM{
		"reply      qwen3  3      2         1        40         9": {Breaker: "closed", Purposes: []control.LLMUse{
			{Purpose: "reply", Model: "qwen3", Attempts: 3, Answers: 2, Retries: 1, PromptTokens: 40, AnswerTokens: 9},
		}},
		"is left alone for a while": {Breaker: "open"},
		"the language model qwen3 fails (timeout): use": {Failing: []control.LLMFailing{
			{Model: "qwen3", Code: messages.LLMTimeout, Mend: "use a smaller model"},
		}},
		"fails (malformed): a web page came; ask": {Failing: []control.LLMFailing{
			{Model: "qwen3", Code: messages.LLMMalformed, Said: "a web page came", Mend: "ask"},
		}},
		"the language model is not asked: X is not set": {Off: "X is not set"},
		"WORKERS": nil,
	} {
		var b strings.Builder
		if err := showStatus(terminal{&b, false, false}, control.Status{Running: true, LLM: m}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(b.String(), want) {
			t.Errorf("status = %q, want %q", b.String(), want)
		}
	}
}

// The address of the page stands there without a key, also of an older Kehai that runs.
func TestStatusShowsThePage(t *testing.T) {
	for _, tty := range []bool{true, false} {
		var b strings.Builder
		s := control.Status{Running: true, Healthy: true, Page: "http://127.0.0.1:7411/#t=abc"}
		if err := showStatus(terminal{&b, tty, false}, s); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, "http://127.0.0.1:7411/ (`kehai page`") ||
			strings.Contains(got, "abc") {
			t.Errorf("status on a terminal %v = %q, want the page's address without a key", tty, got)
		}
	}
}

func TestRepliesOnTheTerminal(t *testing.T) {
	at := time.Date(2026, 1, 1, 9, 30, 0, 0, time.Local)
	called := func(messages.ConversationID) string { return "line:Hana" }
	for _, c := range []struct {
		event messages.Message
		want  string
	}{
		{messages.JudgementMade{Respond: true, Confidence: 1, Source: "default", At: at},
			"judged: wants an answer (by rule)"},
		{messages.JudgementMade{Confidence: 0.8, Source: "model", At: at},
			"judged: wants no answer (the model is 80 % sure)"},
		{messages.ReplyChanged{State: "sending", Text: "At ten,\nthen.\x1b[2J", At: at},
			"written: At ten, then.\ufffd[2J"},
		{messages.ReplyChanged{Conversation: "c-1", Turn: 3, Epoch: 2, State: "draft", Text: "At ten.", At: at},
			"waits: At ten. (kehai drafts approve c-1/3.2)"},
		{messages.ReplyChanged{State: "held", Text: "At ten.", Rule: "quiet_hours", At: at},
			"held: At ten. (these are quiet hours)"},
		{messages.ReplyChanged{State: "withdrawn", At: at}, "withdrawn"},
		{messages.SendDone{Outcome: messages.SendConfirmed, At: at}, "confirmed: it stands in the window"},
		{messages.SendDone{Outcome: messages.SendNot, Reason: messages.SendElsewhere, At: at}, "not sent: elsewhere"},
		{messages.SendDone{Outcome: messages.SendUnknown, Reason: messages.SendUnconfirmed, At: at},
			"unknown: unconfirmed"},
	} {
		var b strings.Builder
		if err := (terminal{Writer: &b}).reply(c.event, called); err != nil {
			t.Fatal(err)
		}
		if want := "09:30:00  → line:Hana  " + c.want + "\n"; b.String() != want {
			t.Errorf("%T on the terminal is %q, want %q", c.event, b.String(), want)
		}
	}
	var b strings.Builder
	_ = terminal{Writer: &b}.reply(messages.ReplyChanged{State: "sent"}, called) // SendDone has told
	if b.Len() > 0 {
		t.Errorf("a reply that was sent is told twice: %q", b.String())
	}
}
