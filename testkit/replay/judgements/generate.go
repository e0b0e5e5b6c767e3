package judgements

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// began is when generated logs begin: a Monday morning.
var began = time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)

// Generate makes a log with about n messages: six groups, three of them with
// threads, and four one-to-one chats, talking in bursts over days. Some messages are
// chatter, some questions, which others may settle, and some hang in the air and want
// a reply only after a while. The same seed makes the same log.
func Generate(seed uint64, n int) (list []Line) {
	g := &generator{r: rand.New(rand.NewPCG(seed, 7))}
	perChannel := max(1, n/10)
	for c := range 10 {
		g.channel, g.group, g.threads = messages.ConversationID(fmt.Sprintf("c%d", c)), c < 6, c < 3
		g.now = began.Add(g.between(0, 2*time.Hour))
		for len(g.list) < perChannel*(c+1) {
			g.burst()
		}
	}
	list = g.list
	sortLines(list)
	return list
}

// generator makes the messages of one channel after the other.
type generator struct {
	r       *rand.Rand
	list    []Line
	now     time.Time
	channel messages.ConversationID
	group   bool
	threads bool
	thread  string
	count   int
}

// between is a random duration in a range, more often a short one.
func (g *generator) between(low, high time.Duration) time.Duration {
	f := g.r.Float64()
	return low + time.Duration(f*f*float64(high-low))
}

// burst is a talk of some messages, and the silence behind it.
func (g *generator) burst() {
	g.thread = ""
	if g.threads && g.r.IntN(3) == 0 {
		g.thread = fmt.Sprintf("t%d", g.count)
	}
	for range 1 + g.r.IntN(8) {
		g.say()
		g.now = g.now.Add(g.between(5*time.Second, 8*time.Minute))
	}
	g.now = g.now.Add(g.between(20*time.Minute, 10*time.Hour))
}

// say adds a message and the reactions to it.
func (g *generator) say() {
	switch n := g.r.IntN(100); {
	case n < 55:
		g.add("chatter", -1, 0.65, 0.98)
	case n < 70:
		g.add("a monologue", -1, 0.85, 0.99)
	case n < 86:
		g.add("a question", g.between(0, 10*time.Minute), 0.75, 0.98)
		if g.group && g.r.IntN(5) < 2 {
			g.now = g.now.Add(g.between(20*time.Second, 15*time.Minute))
			g.add("an answer", -1, 0.8, 0.98)
			g.list[len(g.list)-1].Settles = true
		}
	case n < 97:
		g.add("something left hanging", g.between(30*time.Minute, 4*time.Hour), 0.3, 0.8)
	default:
		g.add("something that looks settled", g.between(2*time.Hour, 5*time.Hour), 0.85, 0.95)
	}
}

// add adds one message of the other side, which wants a reply after a while, or never if
// that is negative.
func (g *generator) add(text string, after time.Duration, low, high float64) {
	g.count++
	l := Line{At: g.now.Truncate(time.Second), Channel: g.channel, Thread: g.thread, Group: g.group,
		ID: messages.MessageID(fmt.Sprintf("m%05d", g.count)), Text: text}
	if after >= 0 {
		s := after.Truncate(time.Second).Seconds()
		l.RespondAfter = &s
	}
	if g.r.IntN(20) > 0 { // one in twenty answers lacks a confidence
		c := float64(int(100*(low+g.r.Float64()*(high-low)))) / 100
		l.Confidence = &c
	}
	g.list = append(g.list, l)
}
