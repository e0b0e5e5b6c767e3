package ocr

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// figureLine is a sentence with something in which each character counts.
type figureLine struct {
	kind, text, value string
}

// figureKinds are what figures say, and sentences about it.
var figureKinds = []struct {
	kind      string
	value     func(r *rand.Rand) string
	sentences []string
}{
	{"price", price, []string{"ランチは%sでした", "%sです", "合計%sになります", "It costs %s", "%s is fine", "The ticket was %s",
		"チケットは%sだよ", "%s", "送料込みで%sくらい", "I paid %s for it"}},
	{"percent", percent, []string{"%sオフです", "電池が%sしかない", "It is %s off today", "%s sure", "売上は%s増えた", "%s",
		"降水確率は%sだって", "Only %s left"}},
	{"phone", phone, []string{"電話は%sです", "My number is %s", "%sにかけて", "Call %s please", "%s"}},
	{"time", clock, []string{"%sに集合ね", "Let's meet at %s", "%sまで寝てた", "The bus leaves at %s", "明日は%sからです", "%s"}},
	{"date", date, []string{"%sに行きます", "The deadline is %s", "次は%sです", "I will be back on %s", "締切は%sだよ", "%s"}},
	{"address", address, []string{"%s", "見て %s", "詳しくは %s まで", "See %s for details", "It is at %s", "送り先は %s です"}},
	{"room", room, []string{"%sで待ってます", "Come to %s", "会議は%sです", "It is in %s", "%s"}},
	{"number", number, []string{"あと%sあります", "It weighs %s", "全部で%sだった", "We need %s", "%s", "だいたい%sです"}},
}

func one(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// grouped writes a number with commas.
func grouped(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", grouped(n/1000), n%1000)
}

func price(r *rand.Rand) string {
	whole := grouped(1 + r.IntN([]int{10, 100, 1000, 20000, 300000}[r.IntN(5)]))
	cents := fmt.Sprintf("%d.%02d", 1+r.IntN(200), r.IntN(100))
	switch r.IntN(10) {
	case 0, 1:
		return "¥" + whole
	case 2:
		return whole + "円"
	case 3:
		return "$" + one(r, whole, cents)
	case 4, 5:
		return "£" + one(r, whole, cents)
	case 6, 7:
		return "€" + one(r, whole, cents)
	case 8:
		return whole + "€"
	}
	return one(r, "$", "£", "€") + cents
}

func percent(r *rand.Rand) string {
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("%d.%d%%", r.IntN(100), r.IntN(10))
	case 1:
		return fmt.Sprintf("%d0%%", 1+r.IntN(10))
	}
	return fmt.Sprintf("%d%%", r.IntN(101))
}

func phone(r *rand.Rand) string {
	four := func() string { return fmt.Sprintf("%04d", r.IntN(10000)) }
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("03-%s-%s", four(), four())
	case 1:
		return fmt.Sprintf("+44 20 %s %s", four(), four())
	case 2:
		return fmt.Sprintf("(555) %03d-%s", r.IntN(1000), four())
	}
	return fmt.Sprintf("0%d0-%s-%s", 7+r.IntN(3), four(), four())
}

func clock(r *rand.Rand) string {
	h, m := r.IntN(24), r.IntN(60)
	switch r.IntN(4) {
	case 0:
		return fmt.Sprintf("%d:%02dpm", 1+h%12, m)
	case 1:
		return fmt.Sprintf("%d時%d分", h, m)
	}
	return fmt.Sprintf("%d:%02d", h, m)
}

func date(r *rand.Rand) string {
	y, m, d := 2020+r.IntN(10), 1+r.IntN(12), 1+r.IntN(28)
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("%d/%02d/%02d", y, m, d)
	case 1:
		return fmt.Sprintf("%d月%d日", m, d)
	case 2:
		return fmt.Sprintf("%d-%02d-%02d", y, m, d)
	case 3:
		return fmt.Sprintf("%s %d", one(r, "March", "June", "November"), d)
	}
	return fmt.Sprintf("%d/%d", m, d)
}

func address(r *rand.Rand) string {
	host := one(r, "example.com", "www.example.org", "shop.example.net", "example.jp")
	path := one(r, "photo", "items", "book", "map", "a/b")
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("https://%s/%s/%d", host, path, r.IntN(10000))
	case 1:
		return fmt.Sprintf("https://%s/%s?id=%d", host, path, r.IntN(1000))
	case 2:
		return fmt.Sprintf("http://localhost:%d/%s", 1000+r.IntN(9000), path)
	case 3:
		return fmt.Sprintf("%s%d@%s", one(r, "hana", "ken", "mio"), r.IntN(100), strings.TrimPrefix(host, "www."))
	}
	return host + "/" + path
}

func room(r *rand.Rand) string {
	n := 100 + r.IntN(900)
	switch r.IntN(5) {
	case 0:
		return fmt.Sprintf("%d号室", n)
	case 1:
		return fmt.Sprintf("room %d", n)
	case 2:
		return fmt.Sprintf("%s-%d", one(r, "A", "B", "C", "E"), n)
	case 3:
		return fmt.Sprintf("gate %d%s", 1+r.IntN(60), one(r, "A", "B", "C"))
	}
	return fmt.Sprintf("B%dF", 1+r.IntN(4))
}

func number(r *rand.Rand) string {
	n := r.IntN([]int{10, 100, 10000}[r.IntN(3)])
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("%d.%dkg", n, r.IntN(10))
	case 1:
		return fmt.Sprintf("%d cm", n)
	case 2:
		return fmt.Sprintf("%d人", n)
	case 3:
		return fmt.Sprintf("#%d", n)
	case 4:
		return grouped(1000 + n)
	}
	return fmt.Sprintf("%d個", n)
}

// figureLines are as many lines of each kind.
func figureLines(r *rand.Rand, each int) (out []figureLine) {
	for i := range each {
		for _, k := range figureKinds {
			v := k.value(r)
			out = append(out, figureLine{k.kind, fmt.Sprintf(k.sentences[i%len(k.sentences)], v), v})
		}
	}
	return out
}

// figureLook is how a page of them looks.
type figureLook struct {
	font  chatpage.Font
	size  int
	scale int
	dark  bool
}

func (l figureLook) String() string {
	return fmt.Sprintf("%s %d×%d dark:%v", l.font.Name, l.size, l.scale, l.dark)
}

func figureLooks(tb testing.TB) (out []figureLook) {
	for _, f := range chatpage.Fonts(tb) {
		for _, size := range []int{13, 15, 17} {
			out = append(out, figureLook{f, size, 1, false}, figureLook{f, size, 1, true})
		}
		out = append(out, figureLook{f, 15, 2, false}, figureLook{f, 14, 2, true})
	}
	return out
}

const figuresOfPage = 6

func (l figureLook) page(tb testing.TB, lines []figureLine) *chatpage.Page {
	pal := chatpage.Light
	if l.dark {
		pal = chatpage.Dark
	}
	p := chatpage.New(tb, pal, l.scale, 720, "Hana")
	p.Letters(l.font, l.size)
	for i, line := range lines {
		side := messages.SideIncoming
		if i%2 == 1 {
			side = messages.SideOwn
		}
		p.Say(side, line.text)
	}
	return p
}
