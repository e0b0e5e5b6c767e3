package replay

import (
	"slices"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// altered is a change that was shown, or one that was published.
type altered struct {
	conversation string
	text         string // "" if the message was taken back
	free         bool   // may be published or not
}

// changes returns the changes that the window has shown and the changes that were
// published, each in order. It gets the conversations behind the ids. A change of a
// message that is history need not be published.
func (p *playback) changes(people map[messages.ConversationID]string) (shown, published []altered) {
	type place struct {
		conversation string
		index        int
	}
	history := map[place]bool{}
	truth := p.window.Truth()
	for i, s := range truth {
		history[place{s.Conversation, s.Index}] = p.history(truth[:i], s)
	}
	for _, c := range p.window.Changes() {
		shown = append(shown, altered{c.Conversation, string(c.Text), history[place{c.Conversation, c.Index}]})
	}
	for _, m := range p.recorder.changed {
		if m.Kind != messages.ChangeCompleted {
			published = append(published, altered{conversation: people[m.Conversation], text: string(m.New)})
		}
	}
	return shown, published
}

// scoreChanges matches each published change with the most similar one that was shown,
// and counts what is left of either.
func scoreChanges(shown, published []altered, t *Counts) (problems []Problem) {
	met := make([]bool, len(shown))
	for _, limit := range []float64{maxDifference, maxMisread} { // the clear ones first
		published = slices.DeleteFunc(slices.Clone(published), func(p altered) bool {
			best, at := limit, -1
			for i, s := range shown {
				if d := s.distance(p); !met[i] && s.conversation == p.conversation && d < best {
					best, at = d, i
				}
			}
			if at >= 0 {
				met[at] = true
			}
			return at >= 0
		})
	}
	for _, p := range published {
		t.ChangesDoubled++
		problems = append(problems, Problem{What: "changes_doubled", Conversation: p.conversation,
			Text: messages.Text(p.text)})
	}
	for i, s := range shown {
		if s.free {
			continue
		}
		t.Changes++
		if !met[i] {
			t.ChangesMissed++
			problems = append(problems, Problem{What: "changes_missed", Conversation: s.conversation,
				Text: messages.Text(s.text)})
		}
	}
	return problems
}

// maxMisread is the largest difference between a shown change and the same one published,
// if it was badly read.
const maxMisread = 0.5

// distance is how different two changes are, from 0 to 1. One letter of a short text may
// be misread.
func (s altered) distance(p altered) float64 {
	if s.text == "" || p.text == "" {
		if s.text == p.text {
			return 0
		}
		return costNever
	}
	a, b := []rune(text.Compact(s.text)), []rune(text.Compact(p.text))
	if max(len(a), len(b)) > 4 {
		return text.Difference(a, b)
	}
	return float64(text.EditDistance(a, b)) * 0.45
}
