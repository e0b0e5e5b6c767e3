package corpus

import (
	"strings"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// chat is a sentence or a short word of the friend, often with an answer.
func (g *generator) chat() {
	g.wait(700, 5000)
	if g.rng.IntN(3) == 0 {
		g.friend(pick(g, g.words.short))
	} else {
		g.friend(g.sentence())
	}
	if g.rng.IntN(2) == 0 {
		g.answer()
	}
}

func (g *generator) answer() {
	g.wait(900, 5000)
	if g.rng.IntN(2) == 0 {
		g.me(pick(g, g.words.short))
	} else {
		g.me(g.sentence())
	}
}

// greet repeats what the other side has just said.
func (g *generator) greet() {
	hello := pick(g, g.words.greetings)
	g.wait(900, 5000)
	if g.rng.IntN(2) == 0 {
		g.friend(hello)
		g.wait(900, 4000)
		g.me(hello)
		return
	}
	g.me(hello)
	g.wait(300, 4000)
	g.friend(hello)
}

// repeat says the same short word several times, sometimes with an own one in between.
func (g *generator) repeat() {
	word := pick(g, g.words.short)
	for range 2 + g.rng.IntN(3) {
		g.wait(150, 9000)
		g.friend(word)
		if g.rng.IntN(3) == 0 {
			g.wait(300, 3000)
			g.me(pick(g, []string{word, pick(g, g.words.short)}))
		}
	}
}

// burst says much at once.
func (g *generator) burst() {
	g.wait(700, 3000)
	for range 3 + g.rng.IntN(7) {
		g.wait(30, 700)
		if g.rng.IntN(3) == 0 {
			g.friend(pick(g, g.words.short))
		} else {
			g.friend(g.sentence())
		}
	}
}

// long is a text of several lines, sometimes broken by the writer.
func (g *generator) long() {
	g.wait(900, 5000)
	var parts []string
	for range 3 + g.rng.IntN(4) {
		parts = append(parts, g.fillIn(g.words, pick(g, g.words.sentences)))
	}
	between := "。"
	if g.words == &english {
		between = " "
	}
	if g.rng.IntN(4) == 0 {
		between = "\n"
	}
	g.friend(strings.Join(parts, between))
}

func (g *generator) number() {
	g.wait(500, 4000)
	g.friend(pick(g, alone))
	if g.rng.IntN(2) == 0 {
		g.wait(200, 3000)
		g.friend(pick(g, alone))
	}
}

// picture is a sticker, an emoji, or a sentence with one.
func (g *generator) picture() {
	g.wait(700, 4000)
	switch g.rng.IntN(4) {
	case 0:
		g.friend(pick(g, pictures))
	case 1:
		g.friend(g.sentence() + pick(g, pictures))
	case 2:
		g.wait(200, 2000)
		g.me("")
	default:
		g.friend("")
		if g.rng.IntN(3) == 0 {
			g.wait(200, 3000)
			g.friend("")
		}
	}
}

// quote repeats words of the conversation, whoever said them: whole, in quotes, or with
// something before them.
func (g *generator) quote() {
	var known []string
	for _, l := range g.shown.all {
		if l.kind == messages.KindText && !l.gone {
			known = append(known, l.text)
		}
	}
	if len(known) == 0 {
		g.answer()
		return
	}
	if len(known) > 12 {
		known = known[len(known)-12:]
	}
	words := pick(g, known)
	g.wait(900, 6000)
	switch g.rng.IntN(4) {
	case 0:
		g.friend("「" + words + "」って言ったよね")
	case 1:
		g.friend("Re: " + words)
	default:
		g.friend(words)
	}
}

// scroll looks at older messages and comes back. Something may be said
// meanwhile.
func (g *generator) scroll() {
	g.wait(1500, 3000)
	for range 1 + g.rng.IntN(3) {
		g.do(script.Event{Do: script.Scroll, By: 60 + g.rng.IntN(700)})
	}
	for range g.rng.IntN(3) {
		g.wait(500, 2500)
		g.friend(g.sentence())
	}
	if g.rng.IntN(3) == 0 {
		g.do(script.Event{Do: script.Scroll, By: -100 - g.rng.IntN(300)})
	}
	g.do(script.Event{Do: script.Scroll, By: -script.MaxScroll})
	g.chat()
}

// resize makes the window smaller or larger for a while.
func (g *generator) resize() {
	g.do(script.Event{Do: script.Resize, To: pick(g,
		[][2]int{{420, 640}, {560, 800}, {480, 560}, {640, 720}, {360, 720}, {500, 740}})})
	g.chat()
	if g.rng.IntN(2) == 0 {
		g.burst()
	}
	g.do(script.Event{Do: script.Resize, To: [2]int{480, 720}})
	g.chat()
}

// crash kills the runtime in the middle of something.
func (g *generator) crash() {
	if g.rng.IntN(2) == 0 {
		g.wait(500, 2000)
		for range 1 + g.rng.IntN(3) {
			g.wait(30, 500)
			g.friend(pick(g, []string{g.sentence(), pick(g, g.words.short)}))
		}
		g.events = append(g.events, script.Event{AtMS: g.at, Do: script.Crash})
	} else {
		g.do(script.Event{Do: script.Crash})
	}
	if g.rng.IntN(4) == 0 {
		g.do(script.Event{Do: script.Crash})
	}
	g.chat()
}

// change shows another conversation. Somebody may have written there.
func (g *generator) change() {
	to := pick(g, g.talks)
	for to == g.shown {
		to = pick(g, g.talks)
	}
	for range g.rng.IntN(4) {
		g.wait(300, 2000)
		g.say(to, drawn.Friend, pick(g, []string{g.sentence(), pick(g, g.words.short)}))
	}
	g.do(script.Event{Do: script.Switch, Conversation: to.name})
	g.shown = to
	g.chat()
}

// hide minimises the window while something is said.
func (g *generator) hide() {
	g.do(script.Event{Do: script.Hide})
	for range g.rng.IntN(4) {
		g.wait(300, 3000)
		g.friend(pick(g, []string{g.sentence(), pick(g, g.words.short)}))
	}
	if g.rng.IntN(5) == 0 {
		g.do(script.Event{Do: script.Restart})
	}
	g.do(script.Event{Do: script.Show})
	g.wait(2000, 40000)
	g.chat()
}

func (g *generator) cover() {
	g.do(script.Event{Do: script.Cover})
	g.chat()
	g.do(script.Event{Do: script.Uncover})
}

// recent picks one of the last texts in the shown conversation that were said some
// seconds ago, so that they were seen unchanged; -1 if there is none.
func (g *generator) recent() int {
	var list []int
	for i := max(0, len(g.shown.all)-5); i < len(g.shown.all); i++ {
		if l := g.shown.all[i]; l.kind == messages.KindText && !l.gone && g.at-l.at > 6000 {
			list = append(list, i)
		}
	}
	if len(list) == 0 {
		return -1
	}
	return pick(g, list)
}

// edit changes a little or all of a text, or gives it the text of another message. It may
// break a row of repeats, or make one.
func (g *generator) edit() {
	g.wait(5000, 9000)
	if i := g.recent(); i >= 0 {
		l := &g.shown.all[i]
		words := l.text + pick(g, []string{"！", "ね", " (sorry)"})
		switch g.rng.IntN(3) {
		case 0:
			words = g.sentence()
		case 1:
			if k := g.recent(); k >= 0 {
				words = g.shown.all[k].text
			}
		}
		if words != l.text {
			l.text = words
			g.do(script.Event{Do: script.Edit, Conversation: g.shown.name, Index: i, Text: messages.Text(words)})
		}
	}
	g.chat()
}

// rowOf says the same several times in a row, then edits or takes back one of them, and
// soon another one.
func (g *generator) rowOf() {
	word := pick(g, g.words.short)
	for range 3 + g.rng.IntN(2) {
		g.wait(300, 2500)
		g.friend(word)
	}
	for range 1 + g.rng.IntN(2) {
		g.wait(5000, 9000)
		i := len(g.shown.all) - 1 - g.rng.IntN(3)
		if l := &g.shown.all[i]; l.gone {
			continue
		} else if g.rng.IntN(2) == 0 {
			l.gone = true
			g.do(script.Event{Do: script.Unsend, Conversation: g.shown.name, Index: i})
		} else {
			l.text = pick(g, g.words.short) + pick(g, []string{"", "！"})
			g.do(script.Event{Do: script.Edit, Conversation: g.shown.name, Index: i, Text: messages.Text(l.text)})
		}
	}
	if g.rng.IntN(2) == 0 {
		g.wait(300, 3000)
		g.friend(word)
	}
	g.chat()
}

func (g *generator) unsend() {
	g.wait(5000, 9000)
	if i := g.recent(); i >= 0 {
		g.shown.all[i].gone = true
		g.do(script.Event{Do: script.Unsend, Conversation: g.shown.name, Index: i})
	}
	g.chat()
}

// send lets Kehai itself write. The friend may repeat its words.
func (g *generator) send() {
	words := pick(g, []string{g.sentence(), pick(g, g.words.short), pick(g, g.words.greetings)})
	g.do(script.Event{Do: script.Send, Text: messages.Text(words)})
	g.wait(300, 6000)
	switch g.rng.IntN(3) {
	case 0:
		g.friend(words)
	case 1:
		g.friend(pick(g, g.words.short))
	}
	g.chat()
}
