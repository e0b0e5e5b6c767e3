package runtime

import (
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// altered is a change that was shown, or one that was published.
type altered struct {
	conversation string
	text         string // "" if the message was taken back
	free         bool   // may be published or not
}

// changes returns what the window has shown of changes and what was published,
// each in order. Of a message that is history nothing needs to be.
func (p *replay) changes(app string) (shown, published []altered) {
	type place struct {
		conversation string
		index        int
	}
	history := map[place]bool{}
	truth := p.window.Truth()
	for i, s := range truth {
		history[place{s.Conversation, s.Index}] = scrolledBack(truth[:i], s)
	}
	for _, c := range p.window.Changes() {
		shown = append(shown, altered{c.Conversation, string(c.Text), history[place{c.Conversation, c.Index}]})
	}
	for _, m := range p.ears.changed {
		if m.Kind != messages.ChangeCompleted {
			published = append(published, altered{conversation: strings.TrimPrefix(string(m.Conversation), app), text: string(m.New)})
		}
	}
	return shown, published
}

// scoreChanges finds for each change that was published one that was shown, and
// counts what is left of either. A short text may be misread beyond recognition:
// it is the change of its conversation that nothing else was taken for.
func scoreChanges(shown, published []altered, t *Tally) (problems []Problem) {
	met := make([]bool, len(shown))
	meet := func(p altered, same func(a, b altered) bool) bool {
		for i, s := range shown {
			if !met[i] && s.conversation == p.conversation && same(s, p) {
				met[i] = true
				return true
			}
		}
		return false
	}
	published = slices.DeleteFunc(slices.Clone(published), func(p altered) bool { return meet(p, altered.is) })
	for _, p := range published {
		if !meet(p, altered.maybe) {
			t.ChangesDoubled++
			problems = append(problems, Problem{What: "changes_doubled", Conversation: p.conversation, Text: messages.Text(p.text)})
		}
	}
	for i, s := range shown {
		if s.free {
			continue
		}
		t.Changes++
		if !met[i] {
			t.ChangesMissed++
			problems = append(problems, Problem{What: "changes_missed", Conversation: s.conversation, Text: messages.Text(s.text)})
		}
	}
	return problems
}

// is reports that a published change is the one that was shown.
func (s altered) is(p altered) bool {
	if s.text == "" || p.text == "" {
		return s.text == p.text
	}
	return difference(
		said{kind: messages.KindText, texts: []string{s.text}}, heard{kind: messages.KindText, text: p.text},
	) < alike
}

// maybe reports that a published change may be the one that was shown, misread.
func (s altered) maybe(p altered) bool {
	a, b := []rune(text.Compact(s.text)), []rune(text.Compact(p.text))
	return s.text != "" && p.text != "" && max(len(a), len(b)) <= 4 && edits(a, b) <= 1
}
