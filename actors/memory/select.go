package memory

import (
	"encoding/json"
	"slices"

	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
)

// Selection is what a model made of the candidates of a run.
type Selection struct {
	Model   string `json:"model,omitempty"`
	Prompt  string `json:"prompt,omitempty"` // version of the texts that it was asked with
	Offered int    `json:"offered"`          // candidates that it chose from
	Failed  string `json:"failed,omitempty"` // why the order by score counts instead
}

// Selected is a candidate that a model chose.
type Selected struct {
	Place  int    // among those offered, from 0
	Reason string // in the model's words
}

// Bounds of an answer.
const (
	maxSelection = 8 << 10 // bytes from its end that are read
	maxReason    = 120     // characters
)

// ParseSelection reads a model's answer about so many candidates, numbered from 1: its last
// JSON object with "chosen", a list of numbers or of objects with "n" and "reason", the
// best first. ok is false if there is none, or if it names only what was not offered. An
// empty list chooses nothing.
func ParseSelection(answer string, offered int) (chosen []Selected, ok bool) {
	fields := lenient.LastWithin(answer, "chosen", maxSelection)
	var list []json.RawMessage
	if fields == nil || json.Unmarshal(fields["chosen"], &list) != nil || list == nil {
		return nil, false
	}
	for _, raw := range list {
		var one struct {
			N      int    `json:"n"`
			Reason string `json:"reason"`
		}
		if json.Unmarshal(raw, &one) != nil {
			one.N = 0
			if json.Unmarshal(raw, &one.N) != nil {
				continue
			}
		}
		known := slices.ContainsFunc(chosen, func(s Selected) bool { return s.Place == one.N-1 })
		if one.N < 1 || one.N > offered || known {
			continue
		}
		chosen = append(chosen, Selected{one.N - 1, lenient.OneLine(one.Reason, maxReason)})
	}
	return chosen, len(chosen) > 0 || len(list) == 0
}

// maxOffered is how many candidates a model chooses from.
const maxOffered = 40

// Offer returns the candidates that a model may choose from: the best that are not in the
// asker's context.
func Offer(list []Candidate, context []messages.MessageID) []Candidate {
	list = slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool { return slices.Contains(context, c.ID) })
	return list[:min(len(list), maxOffered)]
}

// Choose returns at most k of the candidates that were offered, as a model chose them.
func Choose(offered []Candidate, chosen []Selected, k int) (list []Candidate) {
	for _, s := range chosen[:min(len(chosen), k)] {
		c := offered[s.Place]
		c.Reason = s.Reason
		list = append(list, c)
	}
	return list
}
