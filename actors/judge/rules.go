package judge

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
)

// ErrRules marks rules that contradict themselves.
var ErrRules = errors.New("judge: the rules are not usable")

// Threshold says how long a judgement of some confidence holds. As a text it is
// CONFIDENCE:TIME, such as 0.9:12h.
type Threshold struct {
	MinConfidence float64       `yaml:"min_confidence" json:"min_confidence"` // 0 to 1, inclusive
	Skip          time.Duration `yaml:"skip" json:"skip"`                     // 0s to 24h
}

// MarshalText implements encoding.TextMarshaler.
func (t Threshold) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%v:%s", t.MinConfidence, text.Duration(t.Skip)), nil
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (t *Threshold) UnmarshalText(raw []byte) (err error) {
	confidence, skip, ok := strings.Cut(string(raw), ":")
	if t.MinConfidence, err = strconv.ParseFloat(strings.TrimSpace(confidence), 64); err == nil && ok {
		t.Skip, err = time.ParseDuration(strings.TrimSpace(skip))
	}
	if err != nil || !ok {
		return errors.New("want CONFIDENCE:TIME such as 0.9:12h")
	}
	return nil
}

// Rules of judging.
type Rules struct {
	// Whether judgements are remembered; without it every look is a judgement. Default
	// true.
	Enabled bool `yaml:"enabled"`

	// How long a judgement holds that reaches none of the thresholds, 1s to 24h.
	// Default 10m.
	DefaultSkip time.Duration `yaml:"default_skip" min:"1s" max:"24h"`

	// Time between two looks at what is not answered, 1s to 1h. Default 1m.
	CheckEvery time.Duration `yaml:"check_every" min:"1s" max:"1h"`

	// How old a message of a group is before it is judged, 0s to 24h. Default 5m.
	MinWait time.Duration `yaml:"min_wait" min:"0s" max:"24h" atmost:"max_age"`

	// Age from which a message is left unanswered, 1s to 168h. Default 12h.
	MaxAge time.Duration `yaml:"max_age" min:"1s" max:"168h"`

	// Newest messages that the model sees, 1 to 200. Default 20.
	Messages int `yaml:"messages" min:"1" max:"200"`

	// How long a judgement holds by its confidence, the first that it reaches counts:
	// CONFIDENCE:TIME with 0 to 1 and 0s to 24h. Default ["0.9:12h", "0.7:1h"].
	Thresholds []Threshold `yaml:"thresholds"`

	// Plain leaves out the guards of profile default, as profile seed does.
	Plain bool `yaml:"-"`
}

// DefaultRules are the rules of profile default.
func DefaultRules() Rules {
	return Rules{
		Enabled: true, Thresholds: []Threshold{{0.9, 12 * time.Hour}, {0.7, time.Hour}},
		DefaultSkip: 10 * time.Minute, CheckEvery: time.Minute, MinWait: 5 * time.Minute, MaxAge: 12 * time.Hour,
		Messages: 20,
	}
}

// Check returns the rules with their thresholds sorted, the highest first, or an error
// that wraps [ErrRules] and names the field.
func (r Rules) Check() (Rules, error) {
	bad := func(field, format string, args ...any) (Rules, error) {
		return Rules{}, fmt.Errorf("%w: %s %s", ErrRules, field, fmt.Sprintf(format, args...))
	}
	r.Thresholds = slices.Clone(r.Thresholds)
	for i, t := range r.Thresholds {
		field := fmt.Sprintf("thresholds[%d]", i)
		switch {
		case !(t.MinConfidence >= 0 && t.MinConfidence <= 1):
			return bad(field+".min_confidence", "must lie in 0..1, is %v", t.MinConfidence)
		case t.Skip < 0 || t.Skip > 24*time.Hour:
			return bad(field+".skip", "must lie in 0s..24h, is %v", t.Skip)
		case slices.ContainsFunc(r.Thresholds[:i],
			func(o Threshold) bool { return o.MinConfidence == t.MinConfidence }):
			return bad(field+".min_confidence", "is there twice: %v; take one out", t.MinConfidence)
		}
	}
	slices.SortFunc(r.Thresholds, func(a, b Threshold) int { return cmp.Compare(b.MinConfidence, a.MinConfidence) })
	switch {
	case r.DefaultSkip < time.Second || r.DefaultSkip > 24*time.Hour:
		return bad("default_skip", "must lie in 1s..24h, is %v", r.DefaultSkip)
	case r.CheckEvery < time.Second || r.CheckEvery > time.Hour:
		return bad("check_every", "must lie in 1s..1h, is %v", r.CheckEvery)
	case r.MinWait < 0 || r.MinWait > 24*time.Hour:
		return bad("min_wait", "must lie in 0s..24h, is %v", r.MinWait)
	case r.MaxAge <= r.MinWait || r.MaxAge > 7*24*time.Hour:
		return bad("max_age", "must lie above min_wait (%v) and be at most 168h, is %v", r.MinWait, r.MaxAge)
	case r.Messages < 1 || r.Messages > 200:
		return bad("messages", "must lie in 1..200, is %d", r.Messages)
	}
	return r, nil
}

// skip is how long a judgement holds, given when its newest message was written, and
// whether the age of that message shortened it.
func (r *Rules) skip(v Verdict, written, now time.Time) (d time.Duration, shortened bool) {
	d = r.DefaultSkip
	for _, t := range r.Thresholds {
		if v.Confidence >= t.MinConfidence {
			d = t.Skip
			break
		}
	}
	if r.Plain {
		return d, false
	}
	if v.Defaulted {
		d = min(d, r.DefaultSkip)
	}
	if left := (r.MaxAge - now.Sub(written)) / 2; !v.Respond && left < d {
		return max(left, r.CheckEvery), true
	}
	return d, false
}

// retryAfter is the wait after n replies in a row that were not delivered.
func (r *Rules) retryAfter(n int) time.Duration {
	return time.Duration(min(float64(r.CheckEvery)*math.Pow(2, float64(n-1)), float64(10*time.Minute)))
}
