package ingress

import (
	"crypto/sha256"
	"encoding/hex"
	"math/bits"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// maxCompared is how many characters of a text are compared with sent ones, on
// both sides.
const maxCompared = 10_000

// Sent is a row of the table sent.
type Sent struct {
	Text  messages.Text `json:"text"`
	Trace string        `json:"trace,omitempty"`
	At    time.Time     `json:"at"`
	// By is the window whose sender waits for the bubble, "" for a host.
	By      messages.WindowID `json:"by,omitempty"`
	Seen    bool              `json:"seen,omitempty"`    // a bubble of our own side has shown it
	Stands  bool              `json:"stands,omitempty"`  // a bubble of our own side showed the same before it was sent
	Turn    int64             `json:"turn,omitempty"`    // of the conversation, that wrote it; 0: a host did
	Entered bool              `json:"entered,omitempty"` // Enter may have been pressed; of a host's text nobody knows
}

// Entry is a row of the table heard: what later texts are compared with.
type Entry struct {
	Text    messages.Text    `json:"text"`           // compact, at most CommonMax characters
	Rest    string           `json:"rest,omitempty"` // hash of the whole compact text, if it is longer
	Single  bool             `json:"single,omitempty"`
	Channel messages.Channel `json:"channel,omitempty"`
	Side    messages.Side    `json:"side,omitempty"`
	At      time.Time        `json:"at"`
}

// Memory is what one conversation remembers: an index over the tables, for one goroutine.
// Its owner tells it what to forget.
type Memory struct {
	sent     []sentRow // in order of their rows
	sends    []text.Send
	incoming []incomingRow
	exact    map[string][]uint64 // rows of incoming by text, oldest first
	first    uint64              // row of incoming[0]
}

type sentRow struct {
	n uint64
	Sent
}

type incomingRow struct {
	Entry
	runes int
	near  shape
}

// shape shows quickly that two texts cannot be similar.
type shape struct {
	grams text.Grams
	bits  [4]uint64
}

// entryOf makes the entry of a message; runes is the length of the whole
// compact text.
func (r Rules) entryOf(h messages.IncomingBubble, at time.Time) (e Entry, runes int) {
	compact := text.Compact(string(h.Text))
	runes = utf8.RuneCountInString(compact)
	e = Entry{Text: messages.Text(compact), Single: single(string(h.Text)), Channel: h.Channel, Side: h.Side, At: at}
	if runes > r.CommonMax {
		sum := sha256.Sum256([]byte(compact))
		e.Rest = hex.EncodeToString(sum[:16])
		e.Text = messages.Text(text.First(compact, r.CommonMax))
	}
	return e, runes
}

// single reports whether a text has one line that is not blank.
func single(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && !strings.ContainsAny(s, "\n\r\u2028\u2029")
}

func (e Entry) key() string { return string(e.Text) + "\x00" + e.Rest }

func shapeOf(e Entry) shape {
	if e.Rest != "" {
		return shape{}
	}
	s := shape{grams: text.GramsOf(string(e.Text))}
	for _, g := range s.grams {
		b := g * 0x9E3779B97F4A7C15 >> 56
		s.bits[b>>6] |= 1 << (b & 63)
	}
	return s
}

// similar reports 2·|common| / (|s|+|t|) ≥ least, for sets that are not empty.
func (s shape) similar(t shape, least float64) bool {
	n, m := len(s.grams), len(t.grams)
	if n == 0 || m == 0 {
		return false
	}
	bound := func(common int) bool { return 2*float64(common)/float64(n+m) >= least }
	if !bound(min(n, m)) {
		return false
	}
	// A bit that the other lacks stands for at least one gram that it lacks.
	var only, other int
	for i := range s.bits {
		only += bits.OnesCount64(s.bits[i] &^ t.bits[i])
		other += bits.OnesCount64(t.bits[i] &^ s.bits[i])
	}
	if !bound(min(n-only, m-other)) {
		return false
	}
	common := 0
	for i, j := 0, 0; i < n && j < m; {
		switch a, b := s.grams[i], t.grams[j]; {
		case a == b:
			common++
			i++
			j++
		case a < b:
			if i++; !bound(common + min(n-i, m-j)) {
				return false
			}
		default:
			if j++; !bound(common + min(n-i, m-j)) {
				return false
			}
		}
	}
	return bound(common)
}

// addSent remembers a text that is sent, under row n, the last one.
func (m *Memory) addSent(r Rules, n uint64, s Sent) {
	m.sent = append(m.sent, sentRow{n, s})
	m.sends = append(m.sends, text.Send{Form: r.formOf(string(s.Text)), At: s.At})
}

func (r Rules) formOf(s string) text.EchoForm { return r.Echo.EchoFormOf(text.First(s, maxCompared)) }

// removeSent forgets the ith text sent.
func (m *Memory) removeSent(i int) {
	m.sent = append(m.sent[:i:i], m.sent[i+1:]...)
	m.sends = append(m.sends[:i:i], m.sends[i+1:]...)
}

// renewed finds the earlier record of the same sending.
func (m *Memory) renewed(s Sent) (i int, ok bool) {
	for i, old := range m.sent {
		if s.Trace != "" && old.Trace == s.Trace && old.Text == s.Text {
			return i, true
		}
	}
	return 0, false
}

// shown finds the text, sent within a time before another, that a new bubble of our own
// side shows and no bubble has shown yet: one that reads the same before one that is only
// like it, then one that was entered before one that was not, then the newest. Where a text
// was not entered, a person may have pressed the key; a bubble that is only like it, or stood
// before it, shows another one, which may be long sent.
func (m *Memory) shown(read messages.Text, at time.Time, window time.Duration) (i int, ok bool) {
	compared := text.First(string(read), maxCompared)
	compact, best := text.Compact(compared), 0
	for n, s := range m.sent {
		if s.Seen || !text.Inside(at.Sub(s.At), window) || !text.Shown(compared, string(s.Text)) {
			continue
		}
		rank, entered := 0, s.Entered || s.By == ""
		switch exact := text.Compact(string(s.Text)) == compact; {
		case exact && entered:
			rank = 3
		case exact && !s.Stands:
			rank = 2
		case entered:
			rank = 1
		}
		if rank > 0 && rank >= best {
			best, i, ok = rank, n, true
		}
	}
	return i, ok
}

// nextSent is the number of the next row of sent.
func (m *Memory) nextSent() uint64 {
	if len(m.sent) == 0 {
		return 1
	}
	return m.sent[len(m.sent)-1].n + 1
}

// nextIncoming is the number of the next row of incoming.
func (m *Memory) nextIncoming() uint64 { return max(1, m.first+uint64(len(m.incoming))) }

// addIncoming remembers a text under row n, which is nextIncoming.
func (m *Memory) addIncoming(n uint64, e Entry) {
	if m.exact == nil {
		m.exact = map[string][]uint64{}
	}
	if len(m.incoming) == 0 {
		m.first = n
	}
	m.incoming = append(m.incoming,
		incomingRow{Entry: e, runes: utf8.RuneCountInString(string(e.Text)), near: shapeOf(e)})
	m.exact[e.key()] = append(m.exact[e.key()], n)
}

// removeIncoming forgets the oldest incoming text.
func (m *Memory) removeIncoming() {
	key := m.incoming[0].key()
	if rows := m.exact[key][1:]; len(rows) > 0 {
		m.exact[key] = rows
	} else {
		delete(m.exact, key)
	}
	m.incoming[0] = incomingRow{}
	m.incoming = m.incoming[1:]
	m.first++
}
