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

// maxSelection is how much of an answer is read, in bytes from its end.
const maxSelection = 8 << 10

// ParseSelection reads a model's answer about so many candidates, numbered from 1: its last
// JSON object with "chosen", a list of numbers or of objects with "n", the best first. It
// returns their places from 0. ok is false if there is none, or if it names only what was
// not offered. An empty list chooses nothing. The reasons that a model gives are its
// matter: they may quote what is taken back later, so nothing keeps them.
func ParseSelection(answer string, offered int) (places []int, ok bool) {
	fields := lenient.LastWithin(answer, "chosen", maxSelection)
	var list []json.RawMessage
	if fields == nil || json.Unmarshal(fields["chosen"], &list) != nil || list == nil {
		return nil, false
	}
	for _, raw := range list {
		var one struct {
			N int `json:"n"`
		}
		if json.Unmarshal(raw, &one) != nil {
			one.N = 0
			if json.Unmarshal(raw, &one.N) != nil {
				continue
			}
		}
		if one.N >= 1 && one.N <= offered && !slices.Contains(places, one.N-1) {
			places = append(places, one.N-1)
		}
	}
	return places, len(places) > 0 || len(list) == 0
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
func Choose(offered []Candidate, places []int, k int) (list []Candidate) {
	for _, n := range places[:min(len(places), k)] {
		list = append(list, offered[n])
	}
	return list
}
