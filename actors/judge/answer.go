package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"strings"

	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
)

// Source is where a judgement comes from.
type Source string

// Sources.
const (
	FromModel   Source = "model"
	FromDefault Source = "default" // there is no model
	FromFailure Source = "failure" // it gave no readable answer
)

// Verdict is the answer to "should I respond?".
type Verdict struct {
	Respond    bool
	Confidence float64 // 0 to 1
	Reason     messages.Text
	Defaulted  bool // the answer had no confidence
	Source     Source
}

// ErrAnswer marks an answer that is not a judgement. Its text quotes nothing.
var ErrAnswer = errors.New("judge: the language model's answer is no judgement")

// Bounds of an answer.
const (
	maxCopy   = 1 << 20 // bytes from the end in which a copy of the prompt is looked for
	maxReason = 300     // runes
)

// WithoutModel is the verdict without a model: one-to-one chats are answered, groups are
// not. A fixed text answers no courtesies.
func WithoutModel(m messages.JudgeReply) Verdict {
	v := Verdict{Respond: !m.Group, Confidence: 1, Source: FromDefault, Defaulted: true,
		Reason: "no language model is configured"}
	if why := needless(m.Lines); v.Respond && why != "" {
		v.Respond, v.Reason = false, why
	}
	return v
}

// Overasked is the verdict for a conversation that has used up its questions for this
// hour: the same as without a model.
func Overasked(m messages.JudgeReply) Verdict {
	v := WithoutModel(m)
	if v.Respond || m.Group {
		v.Reason = "the model was asked too often within an hour: llm.per_hour"
	}
	return v
}

// Unjudged is the verdict after the model failed or gave no readable answer.
func Unjudged(err error) Verdict {
	reason := messages.Text("the language model did not answer")
	if errors.Is(err, ErrAnswer) {
		reason = "the language model's answer could not be read"
	}
	return Verdict{Source: FromFailure, Reason: reason}
}

// asks is how often a model is asked for one judgement while its answers are unreadable.
const asks = 2

// Take reads answer number n, counted from 1, to a prompt. again asks once more; otherwise
// the verdict counts.
func Take(answer messages.Text, p prompt.Prompt, n int) (v Verdict, again bool) {
	v, err := ParseAnswer(answer, p)
	if err == nil {
		return v, false
	}
	return Unjudged(err), n < asks
}

// ParseAnswer reads an answer: its last JSON object with should_respond, which must be
// true or false. Text around it, code fences and a copy of the prompt do no harm; the
// prompt's own example is no judgement. A missing confidence is 1, and Defaulted; one
// outside 0 to 1 is clamped; one that is not a number is 0. Any other answer is an error
// that wraps [ErrAnswer].
func ParseAnswer(answer messages.Text, p prompt.Prompt) (Verdict, error) {
	s := string(answer)
	if len(s) > maxCopy { // nobody needs that much to say yes or no
		s = s[len(s)-maxCopy:]
	}
	for _, part := range []string{p.System, string(p.User)} {
		if part = strings.TrimSpace(part); part != "" {
			s = strings.ReplaceAll(s, part, " ")
		}
	}
	last := lenient.Last(s, "should_respond")
	var respond *bool
	if last == nil || json.Unmarshal(last["should_respond"], &respond) != nil || respond == nil ||
		sameFields(last, lenient.Last(p.System, "should_respond")) {
		return Verdict{}, ErrAnswer
	}
	v := Verdict{Respond: *respond, Source: FromModel}
	v.Confidence, v.Defaulted = confidence(last["confidence"])
	var reason string
	if json.Unmarshal(last["reason"], &reason) == nil {
		v.Reason = messages.Text(lenient.OneLine(reason, maxReason))
	}
	return v, nil
}

// sameFields reports whether two objects have the same fields.
func sameFields(a, b map[string]json.RawMessage) bool {
	return maps.EqualFunc(a, b, func(x, y json.RawMessage) bool { return bytes.Equal(x, y) })
}

func confidence(raw json.RawMessage) (c float64, defaulted bool) {
	var n *float64
	switch err := json.Unmarshal(raw, &n); {
	case raw == nil, err == nil && n == nil:
		return 1, true
	case err != nil || math.IsNaN(*n):
		return 0, false
	}
	return min(max(*n, 0), 1), false
}
