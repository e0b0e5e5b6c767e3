package attention

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
)

// ErrAnswer marks an answer of a language model that is not a judgement. Its
// text quotes nothing from the answer.
var ErrAnswer = errors.New("attention: the language model's answer is no judgement")

// defaultConfidence applies to an answer without a numeric confidence.
const defaultConfidence = 0.5

// maxReasoning bounds the stored reasoning, in runes.
const maxReasoning = 300

// answerable lists the states that a language model may answer with.
var answerable = []messages.Attention{messages.Focused, messages.Drowsy, messages.Distracted, messages.Away,
	messages.Idle}

// ParseAnswer reads a language model's answer. It takes the last JSON object
// that has a state, so reasoning text and code fences around it do no harm. An
// unknown state is an error wrapping [ErrAnswer]. The confidence is clamped to 0
// to 1.
func ParseAnswer(text messages.Text) (messages.FocusState, error) {
	last := lenient.Last(string(text), "state")
	if last == nil {
		return messages.FocusState{}, ErrAnswer
	}
	return parseFields(last)
}

func parseFields(fields map[string]json.RawMessage) (messages.FocusState, error) {
	var state, why string
	if json.Unmarshal(fields["state"], &state) != nil {
		return messages.FocusState{}, ErrAnswer
	}
	a := messages.Attention(strings.ToLower(strings.TrimSpace(state)))
	if !slices.Contains(answerable, a) {
		return messages.FocusState{}, ErrAnswer
	}
	confidence := defaultConfidence
	var n *float64
	if json.Unmarshal(fields["confidence"], &n) == nil && n != nil && !math.IsNaN(*n) {
		confidence = min(max(*n, 0), 1)
	}
	if json.Unmarshal(fields["reasoning"], &why) != nil {
		why = ""
	}
	return verdict(messages.FromLLM, a, confidence, messages.Text(lenient.OneLine(why, maxReasoning))), nil
}
