package control

import (
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Describe says a verdict to a person. It holds nothing that was said.
func Describe(v events.Verdict) string {
	if !v.Passed() {
		return v.Reason
	}
	d := v.Detail
	switch v.Stage {
	case "fusion":
		return fmt.Sprintf("the content of window %s has changed: %s", d.Window, scored(d))
	case "dedup":
		return describeLedger(d)
	case "ingress":
		if d.Rule == "place" {
			return fmt.Sprintf("a text %s was heard %v before, but its place proves it new", match(d.Match), d.Age.Round(time.Millisecond))
		}
		return "no echo, and no repeat"
	case "burst":
		return describeBurst(d)
	case "conversation":
		return describeChange(d) + ", published"
	}
	if d.Rule != "" {
		return "passed by rule " + string(d.Rule)
	}
	return "passed"
}

// scored says how sure fusion is, and of what.
func scored(d events.Detail) string {
	text := fmt.Sprintf("score %d", d.Score)
	if d.Confidence != "" {
		text += ", " + d.Confidence
	}
	var parts []string
	for _, s := range d.Signals {
		parts = append(parts, fmt.Sprintf("%s %d", strings.ReplaceAll(s.Signal, "_", " "), s.Score))
	}
	if len(parts) > 0 {
		text += " (" + strings.Join(parts, " + ") + ")"
	}
	return text
}

func match(how string) string {
	if how == "similar" {
		return "like it"
	}
	return "equal to it"
}

func describeLedger(d events.Detail) string {
	known := 0
	for _, o := range d.Known {
		if o > 0 {
			known++
		}
	}
	switch d.Rule {
	case "released":
		return fmt.Sprintf("passed on: %s", occurrences(d.Occurrences))
	case "aligned":
		if len(d.Occurrences) == 0 {
			return fmt.Sprintf("nothing new: %d of %d bubbles are known", known, len(d.Known))
		}
		return fmt.Sprintf("%d of %d bubbles are known; new: %s", known, len(d.Known), occurrences(d.Occurrences))
	case "first_sight":
		return fmt.Sprintf("first sight of the conversation; taken in: %s", occurrences(d.Occurrences))
	case "forgotten":
		return "first sight after everything was forgotten: all is history"
	case "gap":
		return fmt.Sprintf("nothing visible was known: messages may be missing before; new: %s", occurrences(d.Occurrences))
	case events.RuleEdited, events.RuleUnsent, events.RuleCompleted:
		return describeChange(d)
	}
	return fmt.Sprintf("rule %s: %s", d.Rule, occurrences(d.Occurrences))
}

// describeChange says what became of a message that was passed on.
func describeChange(d events.Detail) string {
	what := "was edited"
	switch messages.ChangeKind(d.Rule) {
	case messages.ChangeUnsent:
		what = "was taken back"
	case messages.ChangeCompleted:
		what = "was read whole"
	}
	return occurrences(d.Occurrences) + " " + what
}

func describeBurst(d events.Detail) string {
	switch d.Rule {
	case "joined":
		return fmt.Sprintf("waits for others to join: %s", occurrences(d.Occurrences))
	case "quiet":
		return fmt.Sprintf("nothing more came: passed on as message %s", d.Message)
	case "cap":
		return fmt.Sprintf("waited long enough: passed on as message %s", d.Message)
	case "full":
		return fmt.Sprintf("as many parts as may be: passed on as message %s", d.Message)
	case "changed":
		return fmt.Sprintf("one of it was changed: passed on as message %s", d.Message)
	case "sender":
		return fmt.Sprintf("somebody else wrote: passed on as message %s", d.Message)
	}
	return fmt.Sprintf("rule %s: message %s", d.Rule, d.Message)
}

// occurrences names places in a transcript.
func occurrences(list []messages.Occurrence) string {
	switch len(list) {
	case 0:
		return "none"
	case 1:
		return fmt.Sprintf("occurrence %d", list[0])
	}
	if n := len(list); int(list[n-1]-list[0]) == n-1 {
		return fmt.Sprintf("occurrences %d to %d", list[0], list[n-1])
	}
	return fmt.Sprintf("occurrences %v", list)
}
