package interview

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/yamlfile"
)

// ErrProject marks a project that cannot be used.
var ErrProject = errors.New("interview: the project is not usable")

// ErrClosed marks a project that has all its interviews.
var ErrClosed = errors.New("interview: the project is closed: it has limits.max_conversations interviews; " +
	"raise the limit, or start a new project")

// Tone is how the assistant speaks.
type Tone string

// Tones.
const (
	PoliteSoft Tone = "polite_soft"
	Casual     Tone = "casual"
	Formal     Tone = "formal"
)

// Project is what interviews are to find out.
type Project struct {
	Tone       Tone     `yaml:"tone" json:"tone"`                 // default polite_soft
	Goal       string   `yaml:"goal" json:"goal"`                 // 1 to 2,000 characters
	MustAsk    []string `yaml:"must_ask" json:"must_ask"`         // at most max_deep questions, and max_turns-4
	MustNotAsk []string `yaml:"must_not_ask" json:"must_not_ask"` // at most 20 topics
	Limits     Limits   `yaml:"limits" json:"limits"`
}

// Limits bound a project's interviews.
type Limits struct {
	MaxTurns         int `yaml:"max_turns" json:"max_turns"`                 // answers, 1 to 200; default 12
	MaxDeep          int `yaml:"max_deep" json:"max_deep"`                   // deepening questions, 0 to 50; default 2
	MaxConversations int `yaml:"max_conversations" json:"max_conversations"` // 0 to 100,000; 0 and default: any number
}

// DefaultProject is a project without a goal.
func DefaultProject() Project {
	return Project{Tone: PoliteSoft, Limits: Limits{MaxTurns: 12, MaxDeep: 2}}
}

// Bounds of a project.
const (
	maxGoal  = 2000 // characters
	maxTopic = 300
	maxList  = 20
)

// ParseProject reads and checks a project file. name is the file's name in errors,
// which wrap [ErrProject] and have the form "NAME:LINE:COLUMN: FIELD what is wanted".
func ParseProject(name string, data []byte) (Project, error) {
	if name == "" {
		name = "project"
	}
	p := DefaultProject()
	kind := yamlfile.Kind{Name: "an interview project", Whole: true,
		Start: "a file with goal: what you want to find out"}
	if err := yamlfile.Decode(name, data, kind, &p); err != nil {
		return Project{}, fmt.Errorf("%w: %w", ErrProject, err)
	}
	if field, reason := p.problem(); reason != "" {
		return Project{}, fmt.Errorf("%w: %s%s: %s %s", ErrProject, name, yamlfile.Place(data, field), field, reason)
	}
	return p, nil
}

// Validate returns an error wrapping [ErrProject] that names the first field with an
// impossible value, or the two that contradict each other.
func (p Project) Validate() error {
	if field, reason := p.problem(); reason != "" {
		return fmt.Errorf("%w: %s %s", ErrProject, field, reason)
	}
	return nil
}

// problem is the first field that is wrong and what is wanted, "" if there is none.
func (p Project) problem() (field, reason string) {
	l := p.Limits
	switch {
	case !slices.Contains([]Tone{PoliteSoft, Casual, Formal}, p.Tone):
		return "tone", fmt.Sprintf("must be polite_soft, casual or formal, is %q", p.Tone)
	case strings.TrimSpace(p.Goal) == "":
		return "goal", "must say what the interviews are to find out"
	case len([]rune(p.Goal)) > maxGoal:
		return "goal", fmt.Sprintf("must have at most %d characters, has %d", maxGoal, len([]rune(p.Goal)))
	case l.MaxTurns < 1 || l.MaxTurns > 200:
		return "limits.max_turns", fmt.Sprintf("must lie in 1..200, is %d", l.MaxTurns)
	case l.MaxDeep < 0 || l.MaxDeep > 50:
		return "limits.max_deep", fmt.Sprintf("must lie in 0..50, is %d", l.MaxDeep)
	case l.MaxConversations < 0 || l.MaxConversations > 100_000:
		return "limits.max_conversations", fmt.Sprintf("must lie in 0..100000, is %d", l.MaxConversations)
	case l.MaxDeep >= l.MaxTurns:
		return "limits.max_deep", fmt.Sprintf("is %d, but limits.max_turns ends an interview after %d answers: "+
			"raise max_turns above max_deep, or lower max_deep", l.MaxDeep, l.MaxTurns)
	}
	if field, reason = topics("must_ask", p.MustAsk); reason != "" {
		return field, reason
	}
	if field, reason = topics("must_not_ask", p.MustNotAsk); reason != "" {
		return field, reason
	}
	if len(p.MustAsk) > l.MaxDeep {
		return "must_ask", fmt.Sprintf("has %d questions, but limits.max_deep allows %d: raise max_deep to %d, or "+
			"take questions out", len(p.MustAsk), l.MaxDeep, len(p.MustAsk))
	}
	if n := len(p.MustAsk); n > 0 && l.MaxTurns < answersBefore+n {
		return "must_ask", fmt.Sprintf("has %d questions, but limits.max_turns ends an interview after %d answers, "+
			"and %d come before the first of them: raise max_turns to %d, or take questions out", n, l.MaxTurns,
			answersBefore, answersBefore+n)
	}
	for i, q := range p.MustAsk {
		if topic := p.Breaks(q); topic != "" {
			return fmt.Sprintf("must_ask[%d]", i), fmt.Sprintf("asks what must_not_ask forbids (%q): "+
				"take one of them out", topic)
		}
	}
	return "", ""
}

// answersBefore are the answers that come before the first deepening question at least: to the
// greeting, to what there is, to what matters most, and to which of it.
const answersBefore = 4

// topics checks a list of questions or topics.
func topics(field string, list []string) (where, reason string) {
	if len(list) > maxList {
		return field, fmt.Sprintf("must have at most %d entries, has %d", maxList, len(list))
	}
	seen := map[string]bool{}
	for i, t := range list {
		where, key := fmt.Sprintf("%s[%d]", field, i), text.Compact(t)
		switch {
		case key == "":
			return where, "must not be empty"
		case len([]rune(t)) > maxTopic:
			return where, fmt.Sprintf("must have at most %d characters, has %d", maxTopic, len([]rune(t)))
		case seen[key]:
			return where, "is there twice: take one out"
		}
		seen[key] = true
	}
	return "", ""
}

// Breaks returns the topic of must_not_ask that a reply names, "" for none. White
// space, punctuation and case do not count.
func (p Project) Breaks(reply string) string {
	key := text.Compact(reply)
	for _, t := range p.MustNotAsk {
		if strings.Contains(key, text.Compact(t)) {
			return t
		}
	}
	return ""
}

// Names reports that a reply puts a question. White space, punctuation and case do not
// count.
func Names(reply, question string) bool {
	return strings.Contains(text.Compact(reply), text.Compact(question))
}
