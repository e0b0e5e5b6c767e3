package reply

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Action is what is done with a reply.
type Action string

// Actions.
const (
	Nothing Action = ""       // there is to be no reply
	Hold    Action = "hold"   // it waits until something changes
	Draft   Action = "draft"  // it waits for a person
	Notify  Action = "notify" // a draft, and the person is told
	Send    Action = "send"   // it goes out
)

// Policy says what may become of a conversation's replies at most.
type Policy string

// Policies.
const (
	PolicyOff   Policy = "off"
	PolicyDraft Policy = "draft"
	PolicyAuto  Policy = "auto"
)

// Mode is how Kehai takes part in a conversation.
type Mode string

// Modes.
const (
	Assistant Mode = "assistant"
	Interview Mode = "interview"
	Observe   Mode = "observe" // reads, never answers
)

// ByAttention says what a person's attention allows; "" is the default. It only
// restricts what the policy allows.
type ByAttention struct {
	// What becomes of a reply while the person is focused: hold (until that is over),
	// draft, notify (a draft, and the person is told) or send. Default draft.
	Focused Action `yaml:"when_focused" json:"when_focused" oneof:"hold|draft|notify|send"`

	// What becomes of a reply while the person is away: hold, draft, notify or send.
	// Default notify.
	Away Action `yaml:"when_away" json:"when_away" oneof:"hold|draft|notify|send"`

	// What becomes of a reply while the person is drowsy: hold, draft, notify or send.
	// Default draft.
	Drowsy Action `yaml:"when_drowsy" json:"when_drowsy" oneof:"hold|draft|notify|send"`
}

// DefaultAttention is what the zero value means.
func DefaultAttention() ByAttention { return ByAttention{Focused: Draft, Away: Notify, Drowsy: Draft} }

// of is what a state of attention allows. States without a setting mean a draft.
func (b ByAttention) of(a messages.Attention) Action {
	choice, otherwise := Draft, Draft
	switch a {
	case messages.Focused:
		choice = b.Focused
	case messages.Drowsy:
		choice = b.Drowsy
	case messages.Away:
		choice, otherwise = b.Away, Notify
	}
	if choice == Nothing {
		return otherwise
	}
	return choice
}

// Situation is what a decision rests on.
type Situation struct {
	Mode      Mode
	Policy    Policy
	Listed    bool                // the conversation is on the allow-list of auto
	Attention *messages.Attention // nil where attention is off
	When      ByAttention
	Limits    Limits
	Usage     Usage
	Quiet     Quiet
	Paused    bool // kehai pause sending
	NoModel   bool // the reply is a fixed acknowledgement
	Drawn     bool // the window is one that Kehai draws itself
	NoTypist  bool // nobody types into windows
	Command   bool // the text is one of [Commands], and is typed into a window
	Foreign   bool // a model wrote it in another script, see [Foreign]
	Unsure    bool // a model wants an answer, with a confidence of 0 or one that cannot be read
}

// Rule names what decided.
type Rule = messages.ReplyRule

// Rules.
const (
	RuleObserve   Rule = "observe"
	RuleOff       Rule = "off"
	RulePolicy    Rule = "policy"     // draft
	RuleUnlisted  Rule = "not_listed" // auto, but not on the allow-list
	RuleNoModel   Rule = "no_model"
	RuleNoTypist  Rule = "no_typist"
	RuleCommand   Rule = "command"  // an application might carry it out
	RuleLanguage  Rule = "language" // another than that of the conversation
	RuleUnsure    Rule = "unsure"   // the judgement that an answer is wanted is worth nothing
	RuleAttention Rule = "attention"
	RulePaused    Rule = "paused"
	RuleQuiet     Rule = "quiet_hours"
	RuleHour      Rule = "per_hour"
	RuleRow       Rule = "in_a_row"
	RuleAuto      Rule = "auto"
)

// Decision is what is done with a reply, and why.
type Decision struct {
	Action Action
	Rule   Rule
	Again  time.Time // of Hold: when to decide again at the latest; zero if only a change helps
}

// Decide says what happens to a reply. Attention, limits and quiet hours only restrict
// what mode and policy allow: nothing is sent except under an allow-listed auto.
func Decide(s Situation, now time.Time) Decision {
	switch {
	case s.Mode == Observe:
		return Decision{Action: Nothing, Rule: RuleObserve}
	case s.Policy == PolicyOff:
		return Decision{Action: Nothing, Rule: RuleOff}
	}
	d := s.most()
	if s.Attention != nil {
		if choice := s.When.of(*s.Attention); choice != Send {
			d = Decision{Action: choice, Rule: RuleAttention}
		}
	}
	if d.Action == Notify && s.Quiet.At(now) {
		return Decision{Action: Draft, Rule: RuleQuiet}
	}
	if d.Action != Send {
		return d
	}
	switch rule := s.Usage.exceeds(s.Limits, now); {
	case s.Paused:
		return Decision{Action: Hold, Rule: RulePaused}
	case s.Quiet.At(now):
		return Decision{Action: Hold, Rule: RuleQuiet, Again: s.Quiet.End(now)}
	case rule != "":
		return Decision{Action: Draft, Rule: rule}
	}
	return d
}

// most is the most that mode and policy allow.
func (s Situation) most() Decision {
	switch {
	case s.Policy != PolicyAuto:
		return Decision{Action: Draft, Rule: RulePolicy}
	case !s.Listed:
		return Decision{Action: Draft, Rule: RuleUnlisted}
	case s.NoTypist:
		return Decision{Action: Draft, Rule: RuleNoTypist}
	case s.Command && !s.Drawn:
		return Decision{Action: Draft, Rule: RuleCommand}
	case s.Foreign:
		return Decision{Action: Draft, Rule: RuleLanguage}
	case s.Unsure:
		return Decision{Action: Draft, Rule: RuleUnsure}
	case s.NoModel && s.Mode == Assistant && !s.Drawn:
		return Decision{Action: Draft, Rule: RuleNoModel}
	}
	return Decision{Action: Send, Rule: RuleAuto}
}

// Limits bound automatic sending.
type Limits struct {
	// Replies an hour that may go out by themselves in a conversation, 0 to 1000; more
	// wait for a person. Default 20.
	PerHour int `yaml:"per_hour" min:"0" max:"1000"`

	// Replies that may go out by themselves in a row, without a turn of a person in
	// between, 0 to 1000. Default 5.
	InARow int `yaml:"in_a_row" min:"0" max:"1000"`
}

// DefaultLimits are 20 an hour and 5 in a row.
func DefaultLimits() Limits { return Limits{PerHour: 20, InARow: 5} }

// Usage counts automatic sendings. The zero value has none.
type Usage struct {
	Sent []time.Time `json:"sent,omitempty"` // within the last hour, oldest first
	Row  int         `json:"row,omitempty"`  // since the last turn of a person
}

// exceeds names the limit that one more sending would exceed, "" for none.
func (u Usage) exceeds(l Limits, now time.Time) Rule {
	switch {
	case u.Row >= l.InARow:
		return RuleRow
	case len(u.recent(now)) >= l.PerHour:
		return RuleHour
	}
	return ""
}

// recent keeps the times within the last hour. Times in the future count too: the clock
// was set back.
func (u Usage) recent(now time.Time) (list []time.Time) {
	for _, at := range u.Sent {
		if now.Sub(at) < time.Hour {
			list = append(list, at)
		}
	}
	return list
}

// Automatic counts a reply that is sent without a person.
func (u Usage) Automatic(now time.Time) Usage {
	return Usage{Sent: append(u.recent(now), now), Row: u.Row + 1}
}

// Person records a turn of a person: the owner wrote in the window or approved a draft,
// or a guest of the web page wrote. Messages that the other side of a screen shows do
// not count, because a program may have written them.
func (u Usage) Person() Usage {
	u.Row = 0
	return u
}

// ErrQuiet marks quiet hours that cannot be read.
var ErrQuiet = errors.New("reply: quiet hours must be like 22:00-07:00")

// Quiet are the hours without automatic sending and without notices, in minutes of the
// day. From may lie after To. If both are equal, there are none.
type Quiet struct{ From, To int }

// ParseQuiet reads "22:00-07:00"; "" means no quiet hours. Hours with an equal start and
// end are refused, because they could mean none or all.
func ParseQuiet(s string) (Quiet, error) {
	if s == "" {
		return Quiet{}, nil
	}
	var h, m, h2, m2 int
	n, err := fmt.Sscanf(s+"\x00", "%d:%d-%d:%d\x00", &h, &m, &h2, &m2)
	if err != nil || n != 4 || min(h, m, h2, m2) < 0 || max(h, h2) > 23 || max(m, m2) > 59 {
		return Quiet{}, fmt.Errorf("%w, is %q", ErrQuiet, s)
	}
	q := Quiet{60*h + m, 60*h2 + m2}
	if q.From == q.To {
		return Quiet{}, fmt.Errorf("%w, and end at another time than they begin, is %q", ErrQuiet, s)
	}
	return q, nil
}

// At reports whether a moment is quiet, by the clock of its time zone. From is quiet, To
// is not.
func (q Quiet) At(now time.Time) bool {
	m := 60*now.Hour() + now.Minute()
	if q.From <= q.To {
		return q.From <= m && m < q.To
	}
	return m >= q.From || m < q.To
}

// End is when the quiet of a moment ends.
func (q Quiet) End(now time.Time) time.Time {
	at := func(day int) time.Time {
		return time.Date(now.Year(), now.Month(), now.Day()+day, q.To/60, q.To%60, 0, 0, now.Location())
	}
	if end := at(0); end.After(now) {
		return end
	}
	return at(1)
}

// Reminding is the fixed text of a reminder, used without a model.
func Reminding(what messages.Text, l text.Language) messages.Text {
	switch {
	case l == text.English && what == "":
		return "You asked me to remind you now."
	case l == text.English:
		return "You asked me to remind you: " + what
	case what == "":
		return "お知らせする時間になりました。"
	}
	return "お知らせする時間になりました：" + what
}

// longestNamed is how much of an event a fixed text quotes, in characters.
const longestNamed = 120

// Recalling is the fixed answer to a question that a remembered event answers, used
// without a model. Times are given in the zone of now.
func Recalling(m messages.Memory, l text.Language, now time.Time) messages.Text {
	said := []rune(strings.Join(strings.Fields(string(m.Text)), " "))
	if len(said) > longestNamed {
		said = append(said[:longestNamed-1], '…')
	}
	at := m.At.In(now.Location())
	switch {
	case l == text.English && m.Own:
		return messages.Text(fmt.Sprintf("As I wrote on %s: “%s”", at.Format("2 January 2006"), string(said)))
	case l == text.English:
		return messages.Text(fmt.Sprintf("You told me on %s: “%s”", at.Format("2 January 2006"), string(said)))
	case m.Own:
		return messages.Text(fmt.Sprintf("%sにこうお伝えしました：「%s」", at.Format("2006年1月2日"), string(said)))
	}
	return messages.Text(fmt.Sprintf("%sにこううかがいました：「%s」", at.Format("2006年1月2日"), string(said)))
}

// acknowledgements are the answers of an assistant without a model.
var acknowledgements = map[text.Language]messages.Text{
	text.Japanese: "メッセージをありがとうございます。確認して、あらためてお返事します。",
	text.English:  "Thank you for your message. I have seen it and will get back to you.",
}

// Acknowledgement is the fixed answer without a model.
func Acknowledgement(l text.Language) messages.Text { return acknowledgements[l] }

// Acknowledges reports whether a text is such an answer, however a window breaks its lines.
func Acknowledges(t messages.Text) bool {
	for _, fixed := range acknowledgements {
		if text.Compact(string(t)) == text.Compact(string(fixed)) {
			return true
		}
	}
	return false
}
