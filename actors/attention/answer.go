package attention

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"unicode"

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

// maxAnswer bounds how much of an answer is read, in bytes from its end.
const maxAnswer = 8 << 10

// ParseAnswer reads a language model's answer. It takes the last JSON object
// that has a state, so reasoning text and code fences around it do no harm. An
// unknown state is an error wrapping [ErrAnswer]. The confidence is clamped to 0
// to 1.
func ParseAnswer(text messages.Text) (messages.FocusState, error) {
	s := string(text[max(0, len(text)-maxAnswer):])
	var last map[string]json.RawMessage
	for i := 0; i < len(s); i++ {
		if s[i] != '{' {
			continue
		}
		if fields, size := readObject(s[i:]); fields["state"] != nil {
			last = fields
			i += size - 1
		}
	}
	if last == nil {
		return messages.FocusState{}, ErrAnswer
	}
	return parseFields(last)
}

// readObject reads the JSON object at the beginning of s and returns its length
// in bytes. fields is nil if there is none.
func readObject(s string) (fields map[string]json.RawMessage, size int) {
	dec := json.NewDecoder(bytes.NewReader(NoNaN([]byte(s))))
	if dec.Decode(&fields) != nil {
		return nil, 0
	}
	return fields, int(dec.InputOffset())
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
	return verdict(messages.FromLLM, a, confidence, messages.Text(oneLine(why))), nil
}

// oneLine folds a text into one line of bounded length.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " ")
	if r := []rune(s); len(r) > maxReasoning {
		s = string(r[:maxReasoning-1]) + "…"
	}
	return s
}
