package corpus

import (
	"fmt"
	"math/rand/v2"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/messages"
)

// Hostile makes a short script against everything that tells one message from another. Both
// sides say the few texts of one family, nearly all alike, at moments that have nothing to do
// with when anybody looks, while messages change and the window does what it likes. Nobody
// waits for the reader.
func Hostile(seed uint64) Case {
	g := &hostile{generator: generator{rng: rand.New(rand.NewPCG(seed, 0x686f7374696c65)), words: &japanese}}
	g.family = pick(&g.generator, families)
	names := pick(&g.generator, [][]string{{"Hana", "健太", "Li"}, {"Aoi", "Aoi S.", "青井"}, {"山田太郎", "山田花子", "Ren"}})
	for _, name := range names[:1+g.rng.IntN(3)] {
		g.talks = append(g.talks, &talk{name: name})
	}
	g.shown = g.talks[0]
	c := Case{Name: fmt.Sprintf("hostile-%d", seed), Scale: 1 + g.rng.IntN(4)/3,
		Theme: pick(&g.generator, []string{"dark", "light"})}
	if g.rng.IntN(2) == 0 { // otherwise it begins with one message
		for range g.rng.IntN(14) {
			g.wait(100, 1500)
			g.anybody()
		}
	}
	g.friend(g.text())
	weights, total := make([]int, len(tricks)), 0
	for i := range weights { // each script has a mind of its own
		weights[i] = tricks[i].often * pick(&g.generator, []int{0, 1, 1, 4})
		total += weights[i]
	}
	for range 4 + g.rng.IntN(16) {
		g.pass()
		n := g.rng.IntN(total + 1)
		for i, w := range weights {
			if n -= w; n < 0 {
				tricks[i].do(g)
				break
			}
		}
	}
	g.pass()
	g.out(script.Event{Do: script.Show})
	g.out(script.Event{Do: script.Uncover})
	g.out(script.Event{Do: script.Scroll, By: -script.MaxScroll})
	c.Script = script.Script{Events: g.events}
	return c
}

// hostile writes one such script.
type hostile struct {
	generator
	family []string
}

// families are texts that are easily taken for each other.
var families = [][]string{
	{"OK", "OK!", "ok", "OKです"},
	{"了解", "了解です", "了解しました", "了解!"},
	{"12:30に駅で", "13:30に駅で", "12:30に家で", "12:39に駅で"},
	{"はい", "はいはい", "はーい", "いいえ"},
	{"そうだね", "そうだね。", "そうだよね", "そうかな"},
	{"1", "2", "11", "12"},
	{"ありがとう", "ありがとう！", "どうもありがとう", "ありがと"},
	{"明日の会議は10時から第二会議室で行います", "明日の会議は11時から第二会議室で行います",
		"明日の会議は10時から第三会議室で行います", "明日の会議は中止です"},
	{"See you at the station", "See you at the stadium", "See you there", "See you"},
	{"a", "b", "c", "ab"},
	{"¥1,200でした", "¥1,280でした", "¥12,000でした", "1,200円でした"},
	{"いま着いたよ。改札の前で待ってるね。急がなくていいからゆっくり来てね。", "いま着いたよ。改札の前で待ってるね。",
		"いま着いたよ。", "急がなくていいからゆっくり来てね。"},
}

// tricks are what can happen next.
var tricks = []struct {
	often int
	do    func(*hostile)
}{
	{8, (*hostile).anybody},
	{4, (*hostile).row},
	{4, (*hostile).change},
	{3, (*hostile).takeBack},
	{2, (*hostile).sayAgain},
	{2, (*hostile).absence},
	{2, (*hostile).lookUp},
	{2, (*hostile).sendSame},
	{2, (*hostile).other},
	{1, func(g *hostile) {
		g.out(script.Event{Do: pick(&g.generator, []script.Verb{script.Restart, script.Crash}),
			DownMS: int64(g.rng.IntN(3) * g.rng.IntN(6000))})
	}},
	{1, func(g *hostile) { g.out(script.Event{Do: script.Rerender}) }},
	{1, func(g *hostile) {
		g.out(script.Event{Do: script.Resize, To: [2]int{360 + 20*g.rng.IntN(12), 320 + 20*g.rng.IntN(25)}})
	}},
	{1, func(g *hostile) { g.say(g.shown, pick(&g.generator, []drawn.Who{drawn.Friend, drawn.Me}), "") }},
}

// pass lets time pass: none, less than a look, about as much, or a lot.
func (g *hostile) pass() {
	span := pick(&g.generator, [][2]int{{0, 1}, {1, 200}, {200, 900}, {900, 1100}, {1000, 4000}, {1000, 4000},
		{4000, 9000}, {9000, 30000}})
	g.wait(span[0], span[1])
}

// out adds an action at this moment.
func (g *hostile) out(e script.Event) {
	e.AtMS = g.at
	g.events = append(g.events, e)
}

func (g *hostile) text() string { return pick(&g.generator, g.family) }

func (g *hostile) anybody() {
	g.say(g.shown, pick(&g.generator, []drawn.Who{drawn.Friend, drawn.Friend, drawn.Me}), g.text())
}

// row says one text, or two by turns, several times.
func (g *hostile) row() {
	words := []string{g.text(), g.text()}
	for i := range 2 + g.rng.IntN(5) {
		g.friend(words[i%2*g.rng.IntN(2)])
		g.wait(0, pick(&g.generator, []int{10, 600, 3000}))
	}
}

// any picks a text of the shown conversation that was not taken back, mostly a new one;
// nil if there is none.
func (g *hostile) any() (*line, int) {
	for range 8 {
		i := len(g.shown.all) - 1 - g.rng.IntN(pick(&g.generator, []int{1, 3, 9}))
		if i >= 0 && !g.shown.all[i].gone && g.shown.all[i].kind == messages.KindText {
			return &g.shown.all[i], i
		}
	}
	return nil, 0
}

// change edits one or two messages.
func (g *hostile) change() {
	for range 1 + g.rng.IntN(4)/3 {
		if l, i := g.any(); l != nil {
			if words := g.text(); words != l.text {
				l.text = words
				g.out(script.Event{Do: script.Edit, Conversation: g.shown.name, Index: i, Text: messages.Text(words)})
			}
		}
	}
}

func (g *hostile) takeBack() {
	if l, i := g.any(); l != nil {
		l.gone = true
		g.out(script.Event{Do: script.Unsend, Conversation: g.shown.name, Index: i})
	}
}

// sayAgain takes a message back and says the same, or nearly.
func (g *hostile) sayAgain() {
	g.takeBack()
	g.wait(0, 6000)
	g.friend(g.text())
}

// absence says something while nobody sees it.
func (g *hostile) absence() {
	ways := [][2]script.Verb{{script.Hide, script.Show}, {script.Cover, script.Uncover}}
	way := pick(&g.generator, ways)
	g.out(script.Event{Do: way[0]})
	for range g.rng.IntN(pick(&g.generator, []int{3, 9})) {
		g.wait(50, 3000)
		pick(&g.generator, []func(*hostile){(*hostile).anybody, (*hostile).anybody, (*hostile).change,
			(*hostile).takeBack})(g)
	}
	g.pass()
	g.out(script.Event{Do: way[1]})
}

// lookUp scrolls back, and mostly down again.
func (g *hostile) lookUp() {
	g.out(script.Event{Do: script.Scroll, By: 20 + g.rng.IntN(600)})
	for range g.rng.IntN(3) {
		g.pass()
		g.anybody()
	}
	g.pass()
	if g.rng.IntN(4) > 0 {
		g.out(script.Event{Do: script.Scroll, By: -script.MaxScroll})
	}
}

// sendSame has Kehai say what the friend says.
func (g *hostile) sendSame() {
	words := g.text()
	g.out(script.Event{Do: script.Send, Text: messages.Text(words)})
	g.wait(0, pick(&g.generator, []int{400, 6000}))
	if g.rng.IntN(3) > 0 {
		g.friend(pick(&g.generator, []string{words, g.text()}))
	}
}

// other shows another conversation, in which the same may have been said.
func (g *hostile) other() {
	to := pick(&g.generator, g.talks)
	for range g.rng.IntN(4) {
		g.say(to, pick(&g.generator, []drawn.Who{drawn.Friend, drawn.Friend, drawn.Me}), g.text())
		g.wait(0, 1500)
	}
	g.out(script.Event{Do: script.Switch, Conversation: to.name})
	g.shown = to
}
