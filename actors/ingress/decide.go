package ingress

import (
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Rules decide about one message. Start with [DefaultRules].
type Rules struct {
	// How long what was sent is not a message, 1s to 24h. Default 10m.
	EchoWindow time.Duration `yaml:"echo_window" min:"1s" max:"24h"`

	// Texts sent into each conversation that are remembered, 1 to 1000. Default 128.
	Sends int `yaml:"sends" min:"1" max:"1000"`

	// How long an equal short text of one line is the same one, 1ms to 24h. Default
	// 20s.
	ShortWindow time.Duration `yaml:"short" min:"1ms" max:"24h"`

	// Shortest of these texts, in characters without spaces and punctuation, 1 to
	// 1000. Default 2.
	ShortMin int `yaml:"short_min" min:"1" max:"1000" atmost:"short_max"`

	// Longest of them, 1 to 1000, at least short_min. Default 24.
	ShortMax int `yaml:"short_max" min:"1" max:"1000"`

	// How long any text that is equal or similar is the same one, 1ms to 24h.
	// Default 20s.
	CommonWindow time.Duration `yaml:"common" min:"1ms" max:"24h"`

	// Shortest of these texts, in characters without spaces and punctuation, 3 to
	// 1000. Default 10.
	CommonMin int `yaml:"common_min" min:"3" max:"1000" atmost:"common_max"`

	// Longest that is compared for similarity, 3 to 4000, at least common_min.
	// Default 400.
	CommonMax int `yaml:"common_max" min:"3" max:"4000"`

	// Similarity by groups of three characters, 0.01 to 1. Default 0.93.
	Similar float64 `yaml:"similar" min:"0.01" max:"1"`

	// Texts of each conversation that are remembered, 1 to 2000. Default 2000.
	Entries int `yaml:"entries" min:"1" max:"2000"`

	// A message whose place proves it new passes the windows.
	ByPlace bool `yaml:"-"`

	// One on the friend's side is no echo, and short texts of two sides are two.
	BySide bool `yaml:"-"`

	// By which an echo is known.
	Echo text.EchoRules `yaml:"-"`

	// Makes the hash of a text that the log shows. Without it there is no hash,
	// because that of a short text could be guessed.
	HashKey []byte `yaml:"-"`
}

// DefaultRules returns the rules of profile default. Those of profile seed have
// the same numbers; text alone decides there.
func DefaultRules() Rules {
	return Rules{
		EchoWindow: 10 * time.Minute, Sends: 128, ShortWindow: 20 * time.Second, ShortMin: 2, ShortMax: 24,
		CommonWindow: 20 * time.Second, CommonMin: 10, CommonMax: 400, Similar: 0.93, Entries: 2000,
		ByPlace: true, BySide: true, Echo: text.DefaultEcho(),
	}
}

// Decision is the decision about a message, and its evidence.
type Decision struct {
	Rule    events.Rule   // place and new let it pass, the others drop it
	Age     time.Duration // of the text it was taken for
	Spared  events.Rule   // with rule place: short or common, whose window matched
	Echo    text.EchoFound
	Similar bool // with rule common: nearly the same, not exactly
}

// Passes reports whether the message is passed on.
func (v Decision) Passes() bool { return v.Rule == events.RuleNew || v.Rule == events.RulePlace }

// Missed reports whether texts were sent recently and the message is not an echo of them.
func (v Decision) Missed() bool {
	return v.Rule != events.RuleRepeat && v.Rule != events.RuleEcho && v.Echo.Active > 0
}

// detail is what a verdict about a message rests on.
func (v Decision) detail(h messages.IncomingBubble) events.Detail {
	d := events.Detail{
		Window: h.Window, Conversation: h.Conversation, Occurrences: []messages.Occurrence{h.Occurrence}, Age: v.Age,
	}
	switch {
	case v.Rule == events.RuleEcho:
		d.Match = events.Match(v.Echo.How)
	case v.Rule == events.RuleCommon && v.Similar:
		d.Match = events.MatchSimilar
	case v.Rule == events.RuleCommon || v.Rule == events.RuleShort:
		d.Match = events.MatchEqual
	case v.Rule == events.RulePlace:
		d.Match = events.Match(v.Spared)
	}
	return d
}

// When is the time of a message: that of its frame, so that a message that waited in an
// inbox is judged by when it was seen. It is never later than now.
func When(h messages.IncomingBubble, now time.Time) time.Time {
	if h.SeenAt.IsZero() || h.SeenAt.After(now) {
		return now.UTC().Round(0)
	}
	return h.SeenAt.UTC().Round(0)
}

// Decide judges a message seen at a time. last is the highest occurrence
// judged before. It changes nothing.
func (r Rules) Decide(m *Memory, last messages.Occurrence, h messages.IncomingBubble, at time.Time) Decision {
	if h.Occurrence <= last {
		return Decision{Rule: events.RuleRepeat}
	}
	var v Decision
	v.Echo = r.Echo.Find(r.formOf(string(h.Text)), at, r.EchoWindow, m.sends)
	if v.Echo.How != text.EchoNone && r.mayBeOwn(h.Side) {
		v.Rule, v.Age = events.RuleEcho, v.Echo.Age
		return v
	}
	v.Rule, v.Age, v.Similar = r.window(m, h, at)
	if v.Rule != events.RuleNew && h.Fresh && r.ByPlace {
		v.Spared, v.Rule = v.Rule, events.RulePlace
	}
	return v
}

// mayBeOwn reports whether the evidence about its side leaves open that a message is an
// echo.
func (r Rules) mayBeOwn(s messages.Side) bool {
	return !r.BySide || s != messages.SideIncoming
}

// window looks for a recently heard text that makes this one a duplicate.
func (r Rules) window(m *Memory, h messages.IncomingBubble, at time.Time) (events.Rule, time.Duration, bool) {
	e, n := r.entryOf(h, at)
	short, common := r.short(e, n), n >= r.CommonMin
	if !short && !common {
		return events.RuleNew, 0, false
	}
	rows := m.exact[e.key()]
	for _, judge := range []struct {
		rule   events.Rule
		on     bool
		window time.Duration
		same   func(old Entry) bool
	}{
		{events.RuleShort, short, r.ShortWindow, func(old Entry) bool {
			return old.Single && old.Channel == e.Channel && (!r.BySide || old.Side == e.Side)
		}},
		{events.RuleCommon, common, r.CommonWindow, func(Entry) bool { return true }}, // from whichever channel
	} {
		for i := len(rows) - 1; i >= 0 && judge.on; i-- {
			old := m.incoming[rows[i]-m.first].Entry
			if age := at.Sub(old.At); text.Inside(age, judge.window) && judge.same(old) {
				return judge.rule, age, false
			}
		}
	}
	if common && e.Rest == "" {
		if age, ok := r.near(m, e, at); ok {
			return events.RuleCommon, age, true
		}
	}
	return events.RuleNew, 0, false
}

// near looks for a similar text of the same channel, newest first.
func (r Rules) near(m *Memory, e Entry, at time.Time) (time.Duration, bool) {
	s := shapeOf(e)
	for i := len(m.incoming) - 1; i >= 0; i-- {
		old := &m.incoming[i]
		if old.runes < r.CommonMin || old.Rest != "" || old.Channel != e.Channel {
			continue
		}
		if age := at.Sub(old.At); text.Inside(age, r.CommonWindow) && s.similar(old.near, r.Similar) {
			return age, true
		}
	}
	return 0, false
}

// short reports whether the short window applies to a text of n characters.
func (r Rules) short(e Entry, n int) bool { return e.Single && n >= r.ShortMin && n <= r.ShortMax }

// remembers reports whether any window applies to the text.
func (r Rules) remembers(e Entry, n int) bool { return r.short(e, n) || n >= r.CommonMin }

// hash identifies a text in the log without revealing it.
func (r Rules) hash(t messages.Text) string { return text.Hash(r.HashKey, string(t)) }
