// Package corpus makes scripts of chats for replays: [Cases] a whole set in which
// every kind of trouble comes often, [Generate] one script about one kind, and
// [Shrink] the least of a script that still fails. Equal seeds make equal scripts.
package corpus

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// Case is a generated script and the window to play it on.
type Case struct {
	Name   string
	Script script.Script
	Scale  int    // 1 or 2
	Theme  string // light or dark
}

// Cases generates scripts with at least so many messages of friends, about 50
// in each. Equal arguments give equal scripts. Each case is about one kind of
// trouble, which its name tells, with some of all others in between.
func Cases(friendMessages int, seed uint64) []Case {
	var out []Case
	for n := 0; n < friendMessages; {
		i := len(out)
		c, said := Generate(topics[i%len(topics)], 50, seed<<20+uint64(i))
		c.Name = fmt.Sprintf("%02d-%s", i+1, c.Name)
		out = append(out, c)
		n += said
	}
	return out
}

// Topics lists what [Generate] can be asked for; "" is a mixture of all.
func Topics() []string { return append([]string(nil), topics...) }

var topics = []string{
	"talk", "greetings", "repeats", "bursts", "long", "numbers", "pictures", "quotes", "scrolling", "rendering",
	"sizes", "restarts", "crashes", "conversations", "hiding", "changes", "sends", "",
}

// Generate makes one script with at least so many messages of friends, and says
// how many there are.
func Generate(topic string, friendMessages int, seed uint64) (Case, int) {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 0x636f72707573)), words: &japanese, topic: topic}
	if g.rng.IntN(3) == 0 {
		g.words = &english
	}
	first := g.rng.IntN(len(people))
	for i := range 3 {
		g.talks = append(g.talks, &talk{name: people[(first+i)%len(people)]})
	}
	g.shown = g.talks[0]
	g.events = []script.Event{{Do: script.Pace, Pace: script.Reader}}
	c := Case{Name: topic, Scale: 1 + g.rng.IntN(3)/2, Theme: pick(g, []string{"dark", "light", "light"})}
	if topic == "" {
		c.Name = "mixture"
	}
	for g.said < friendMessages {
		g.move()
	}
	c.Script = script.Script{Events: g.events}
	return c, g.said
}

// talk is a conversation so far.
type talk struct {
	name string
	all  []line
}

type line struct {
	who  drawn.Who
	kind messages.Kind
	text string
	gone bool
	at   int64
}

// generator writes one script.
type generator struct {
	rng    *rand.Rand
	words  *words
	topic  string
	events []script.Event
	talks  []*talk
	shown  *talk
	at     int64
	said   int
}

// moves are what can happen, each with the topic that makes it frequent, and its usual
// frequency.
var moves = []struct {
	topic string
	often int
	do    func(*generator)
}{
	{"talk", 12, (*generator).chat},
	{"greetings", 3, (*generator).greet},
	{"repeats", 3, (*generator).repeat},
	{"bursts", 3, (*generator).burst},
	{"long", 2, (*generator).long},
	{"numbers", 2, (*generator).number},
	{"pictures", 2, (*generator).picture},
	{"quotes", 2, (*generator).quote},
	{"scrolling", 1, (*generator).scroll},
	{"rendering", 1, func(g *generator) { g.do(script.Event{Do: script.Rerender}); g.chat() }},
	{"sizes", 1, (*generator).resize},
	{"restarts", 1, func(g *generator) { g.do(script.Event{Do: script.Restart}); g.chat() }},
	{"crashes", 1, (*generator).crash},
	{"conversations", 1, (*generator).change},
	{"hiding", 1, (*generator).hide},
	{"hiding", 1, (*generator).cover},
	{"changes", 1, (*generator).edit},
	{"changes", 1, (*generator).unsend},
	{"changes", 1, (*generator).rowOf},
	{"sends", 2, (*generator).send},
	{"sends", 1, func(g *generator) {
		g.do(script.Event{Do: script.Type, Text: messages.Text(g.sentence())})
		g.chat()
	}},
	{"crashes", 1, func(g *generator) { g.do(script.Event{Do: script.ResetBaseline}); g.chat() }},
}

func (g *generator) move() {
	weight := func(i int) int {
		m := moves[i]
		if m.topic == g.topic {
			return 12 + m.often
		}
		return m.often
	}
	total := 0
	for i := range moves {
		total += weight(i)
	}
	n := g.rng.IntN(total)
	for i, m := range moves {
		if n -= weight(i); n < 0 {
			m.do(g)
			return
		}
	}
}

// do adds an action some seconds after the last one.
func (g *generator) do(e script.Event) {
	g.wait(500, 4000)
	e.AtMS = g.at
	g.events = append(g.events, e)
}

// wait lets some milliseconds pass.
func (g *generator) wait(low, high int) { g.at += int64(low + g.rng.IntN(high-low)) }

// say adds a message to a conversation at this moment.
func (g *generator) say(t *talk, who drawn.Who, text string) {
	l := line{who: who, kind: messages.KindText, text: text, at: g.at}
	if text == "" {
		l.kind = messages.KindSticker
	}
	t.all = append(t.all, l)
	if who == drawn.Friend {
		g.said++
	}
	g.events = append(g.events, script.Event{AtMS: g.at, Who: who, Kind: l.kind, Text: messages.Text(text),
		Conversation: t.name})
}

func (g *generator) friend(text string) { g.say(g.shown, drawn.Friend, text) }
func (g *generator) me(text string)     { g.say(g.shown, drawn.Me, text) }

func pick[T any](g *generator, list []T) T { return list[g.rng.IntN(len(list))] }

// sentence is sometimes in the other language.
func (g *generator) sentence() string {
	w := g.words
	if g.rng.IntN(8) == 0 {
		w = pick(g, []*words{&japanese, &english})
	}
	return g.fillIn(w, pick(g, w.sentences))
}

func (g *generator) fillIn(w *words, s string) string {
	return strings.NewReplacer(
		"{n}", fmt.Sprint(2+g.rng.IntN(18)), "{t}", fmt.Sprintf("%d:%02d", 7+g.rng.IntN(15), 5*g.rng.IntN(12)),
		"{d}", pick(g, w.days), "{p}", pick(g, w.places), "{w}", pick(g, w.things),
	).Replace(s)
}
