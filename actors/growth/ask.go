package growth

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/pii"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/actors/text/lenient"
	"github.com/kehai-run/kehai/messages"
)

// Rules say what growth may ask a model.
type Rules struct {
	// Questions an hour that one conversation may cause, so that a model finds what rules
	// do not, 0 to 10000; 0 asks none. Default 30.
	PerHour int `yaml:"per_hour" min:"0" max:"10000"`

	// Time from a message to the question about it and what was said since, 1s to 1h.
	// Default 1m.
	Pause time.Duration `yaml:"pause" min:"1s" max:"1h"`
}

// DefaultRules ask little.
func DefaultRules() Rules { return Rules{PerHour: 30, Pause: time.Minute} }

// Options of growth.
type Options struct {
	Rules    Rules
	Asks     bool              // there is a model
	Mask     bool              // it sees masked messages only
	Prompts  *prompt.Catalogue // nil is the built-in texts
	Deadline time.Duration     // of a question; 0 is a minute

	// RowKey is the secret that hides the names of a conversation's rows, see memory.RowOf;
	// nil, or a nil key, hides none.
	RowKey func(messages.ConversationID) ([]byte, error)
}

// maxNotes is how many topics a model is reminded of.
const maxNotes = 60

// question is what the model is asked about events. known are topics, the newest last.
func (o Options) question(list []messages.Event, known []memory.Topic) (prompt.Prompt, error) {
	in := prompt.Input{Task: prompt.Learn}
	for _, t := range known[max(0, len(known)-maxNotes):] {
		s, _ := t.Now()
		note := string(t.Kind) + ": " + string(t.Name)
		if t.Name != s.Body {
			note += ": " + string(s.Body)
		}
		in.Lines = append(in.Lines, prompt.Line{Note: true, Own: t.Subject == "", Text: o.masked(messages.Text(note))})
	}
	for _, e := range list {
		in.Language = text.LanguageOf(string(e.Text), in.Language)
		l := prompt.Line{Own: e.Own, At: e.At, Text: o.masked(e.Text)}
		if !o.Mask {
			l.Name = e.Speaker
		}
		in.Lines = append(in.Lines, l)
	}
	in.Language = text.LanguageOf("", in.Language)
	return o.Prompts.Compose(in)
}

func (o Options) masked(s messages.Text) messages.Text {
	if !o.Mask {
		return s
	}
	return messages.Text(pii.Mask(string(s), pii.LabelsFor(string(s))).Text)
}

// Bounds of what a model answers, in bytes, entries and runes.
const (
	maxAnswer  = 64 << 10
	maxLearned = 40
	maxTopic   = 40
	maxValue   = 200
)

// hidden is what masking puts in the place of private data.
var hidden = regexp.MustCompile(`\[[^\[\]\n]{1,40}\]`)

// Parse reads what a model has learned from events; ok is false if its answer is not
// readable. Claims without proof in the event's words are left out, and so are those
// about masked words. first is the number of the first event, open are the tasks
// that are not done.
func (o Options) Parse(answer string, list []messages.Event, first int, open []memory.Topic) (
	learned []Learned, ok bool) {
	fields := lenient.LastWithin(answer, "learned", maxAnswer)
	var all []map[string]json.RawMessage
	if fields == nil || json.Unmarshal(fields["learned"], &all) != nil || all == nil {
		return nil, false
	}
	for _, raw := range all[:min(len(all), maxLearned)] {
		var n int
		if json.Unmarshal(raw["n"], &n) != nil || n < first || n >= first+len(list) {
			continue
		}
		if l, ok := o.proven(raw, list[n-first], open); ok {
			learned = append(learned, l)
		}
	}
	return learned, true
}

// proven is one thing learned from an event, if the event says it.
func (o Options) proven(raw map[string]json.RawMessage, e messages.Event, open []memory.Topic) (l Learned, ok bool) {
	word := func(name string, runes int) string {
		var s string
		_ = json.Unmarshal(raw[name], &s) // what is no text says nothing
		return lenient.OneLine(text.Unquote(s), runes)
	}
	said := string(o.masked(e.Text))
	quote, proven := text.Within(word("quote", maxValue), said)
	if !proven || hidden.MatchString(quote) || text.Compact(quote) == "" {
		return l, false
	}
	kind, op := memory.Kind(word("kind", maxTopic)), memory.Op(word("op", maxTopic))
	name, value := named(word("topic", maxTopic)), word("value", maxValue)
	switch {
	case kind == memory.Task && op == memory.Holds:
		name, value = quote, quote
	case kind == memory.Task && (op == memory.Done || op == memory.Ends):
		topic := word("topic", maxValue)
		i := slices.IndexFunc(open, func(t memory.Topic) bool {
			return text.Compact(string(t.Name)) == text.Compact(topic)
		})
		if i < 0 {
			return l, false
		}
		name, value = string(open[i].Name), string(open[i].Name)
		return o.learned(e, open[i].Subject, kind, op, name, value, quote), true
	case kind == memory.Preference && (op == memory.Likes || op == memory.Dislikes || op == memory.Ends):
		name = value
	case kind == memory.Summary && op == memory.Holds: // in words of its own
		value = lenient.OneLine(value, maxTelling)
		return o.learned(e, "", kind, op, "", value, quote), !hidden.MatchString(value) && text.Compact(value) != ""
	case (kind == memory.Fact || kind == memory.Relation) && op == memory.Holds:
	case (kind == memory.Fact || kind == memory.Relation) && op == memory.Ends:
		return o.learned(e, subject(e), kind, op, name, "", quote), name != "" && !hidden.MatchString(name)
	default:
		return l, false
	}
	value, proven = text.Within(value, said)
	value = strings.TrimSpace(value)
	if !proven || name == "" || hidden.MatchString(name+value) || text.Compact(value) == "" {
		return l, false
	}
	return o.learned(e, subject(e), kind, op, name, value, quote), true
}

func (o Options) learned(e messages.Event, whose messages.Text, kind memory.Kind, op memory.Op,
	name, value, quote string) Learned {
	return Learned{kind, whose, messages.Text(name), memory.Claim{Event: e.ID, At: e.At, Op: op,
		Body: messages.Text(value), Quote: messages.Text(quote), Sure: firm.MatchString(quote), Model: true}}
}
