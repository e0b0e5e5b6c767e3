package burst

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Rules say when a buffer is passed on, and which lines are left out. Start with
// [DefaultRules].
type Rules struct {
	// Silence that ends a burst, 100ms to 1m. Default 1.5s.
	Quiet time.Duration `yaml:"quiet" min:"100ms" max:"1m" atmost:"cap"`

	// Longest time a message waits for others, quiet to 10m. Default 7.5s.
	Cap time.Duration `yaml:"cap" min:"100ms" max:"10m"`

	// Messages after which a burst ends at once, 1 to 1000. Default 36.
	Parts int `yaml:"parts" min:"1" max:"1000"`

	// Repeats decides which lines repeat one in the buffer and are left out:
	// [text.DefaultRepeats] in profile seed, where messages have no position, so a line
	// said twice cannot be told from one read twice. The zero value leaves none out.
	Repeats text.RepeatRules `yaml:"-"`
}

// DefaultRules returns the rules of profile default.
func DefaultRules() Rules {
	return Rules{Quiet: 1500 * time.Millisecond, Cap: 7500 * time.Millisecond, Parts: 36}
}

// Buffer holds the parts that wait, all of one sender.
type Buffer struct {
	Sender messages.Text   `json:"sender"`
	Parts  []messages.Part `json:"parts"`
	First  time.Time       `json:"first"` // when the first part came

	Window messages.WindowID `json:"window,omitempty"` // that showed the last part
}

// Repeats are the lines of a message that the buffer already has.
type Repeats struct {
	Lines int                   // so many were left out
	All   bool                  // the message says nothing else, so the buffer is unchanged
	Of    []messages.Occurrence // the parts that contain them, ascending
}

// some is how many lines were left out of what is passed on, 0 if nothing is.
func (l Repeats) some() int {
	if l.All {
		return 0
	}
	return l.Lines
}

// Add takes h in. It returns what must be passed on before and after that, the buffer
// that waits, and which lines of h were left out. An empty buffer has no parts.
func (r Rules) Add(b Buffer, h messages.IncomingBubble, now time.Time) (flushed []Buffer, rest Buffer, left Repeats) {
	if len(b.Parts) > 0 && (b.Sender != h.Sender || !now.Before(b.First.Add(r.Cap))) {
		flushed, b = append(flushed, b), Buffer{}
	}
	if h.Text, left = r.fresh(b, h); left.All {
		return flushed, b, left
	}
	if len(b.Parts) == 0 {
		b = Buffer{Sender: h.Sender, First: now}
	}
	b.Window = h.Window
	b.Parts = append(slices.Clip(b.Parts), messages.Part{
		Kind: h.Kind, Text: h.Text, Occurrence: h.Occurrence, SeenAt: h.SeenAt, Partial: h.Partial,
		Late: h.Late,
	})
	if len(b.Parts) >= r.Parts {
		return append(flushed, b), Buffer{}, left
	}
	return flushed, b, left
}

// fresh returns the text of h without the lines that repeat one in b. Lines of h are not
// compared with each other, since they were read at one time in different places. A
// message whose place proves it new is not compared at all.
func (r Rules) fresh(b Buffer, h messages.IncomingBubble) (messages.Text, Repeats) {
	var left Repeats
	if r.Repeats == (text.RepeatRules{}) || h.Fresh || h.Kind != messages.KindText {
		return h.Text, left
	}
	var kept []string
	have := saidIn(b)
	left.All = true
	for line := range strings.SplitSeq(string(h.Text), "\n") {
		if of, ok := r.find(have, line); ok {
			left.Lines++
			if !slices.Contains(left.Of, of) {
				left.Of = append(left.Of, of)
			}
			continue
		}
		kept = append(kept, line)
		left.All = left.All && strings.TrimSpace(line) == ""
	}
	if left.Lines == 0 {
		return h.Text, Repeats{}
	}
	slices.Sort(left.Of)
	return messages.Text(strings.Join(kept, "\n")), left
}

// said is a line in a buffer.
type said struct {
	of   messages.Occurrence
	form text.RepeatForm
}

func saidIn(b Buffer) (list []said) {
	for _, p := range b.Parts {
		if p.Kind != messages.KindText {
			continue
		}
		for line := range strings.SplitSeq(string(p.Text), "\n") {
			list = append(list, said{p.Occurrence, text.RepeatFormOf(line)})
		}
	}
	return list
}

// find returns the first part that contains an equal line.
func (r Rules) find(have []said, line string) (messages.Occurrence, bool) {
	form := text.RepeatFormOf(line)
	for _, s := range have {
		if r.Repeats.RepeatsForm(s.form, form) {
			return s.of, true
		}
	}
	return 0, false
}

// mark records in which buffers the occurrence stands, by its trace.
func mark(o messages.Occurrence, trace string, buffers ...Buffer) {
	for _, b := range buffers {
		for i := range b.Parts {
			if b.Parts[i].Occurrence == o {
				b.Parts[i].Trace = trace
			}
		}
	}
}

// why names the rule by which the arrival of h let a buffer pass.
func (r Rules) why(b Buffer, h messages.IncomingBubble) events.Rule {
	switch {
	case len(b.Parts) >= r.Parts:
		return events.RuleFull
	case b.Sender != h.Sender:
		return events.RuleSender
	}
	return events.RuleCap
}

// Wait is how long a buffer is kept after it got a part.
func (r Rules) Wait(b Buffer, now time.Time) time.Duration {
	return max(0, min(r.Quiet, b.First.Add(r.Cap).Sub(now)))
}

// Message turns a buffer into one message, its parts in the order of their occurrences.
func Message(id messages.MessageID, conversation messages.ConversationID, b Buffer) messages.InboundMessage {
	parts := slices.Clone(b.Parts)
	slices.SortStableFunc(parts, func(x, y messages.Part) int { return cmp.Compare(x.Occurrence, y.Occurrence) })
	m := messages.InboundMessage{
		ID: id, Conversation: conversation, Sender: b.Sender, Kind: messages.KindText, Parts: parts,
		SeenAt: parts[0].SeenAt, Window: b.Window,
	}
	var texts []string
	for _, p := range parts {
		m.Partial = m.Partial || p.Partial
		if m.Kind == messages.KindText {
			m.Kind = p.Kind
		}
		if p.Text != "" {
			texts = append(texts, string(p.Text))
		}
	}
	m.Text = messages.Text(strings.Join(texts, "\n"))
	return m
}
