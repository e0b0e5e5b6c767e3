package when

import (
	"slices"
	"strings"
)

// phrases of English requests. A firm one always asks for a reminder, wherever the time
// is. The others can also ask for other things, so the time must be next to them and no
// question may follow.
var phrases = []struct {
	words []string
	firm  bool
}{
	{[]string{"remind", "me"}, true}, {[]string{"set", "a", "reminder"}, true},
	{[]string{"set", "me", "a", "reminder"}, true}, {[]string{"give", "me", "a", "reminder"}, true},
	{[]string{"set", "an", "alarm"}, true}, {[]string{"don't", "let", "me", "forget"}, true},
	{[]string{"wake", "me", "up"}, true}, {[]string{"wake", "me"}, true},
	{[]string{"nudge", "me"}, true}, {[]string{"ping", "me"}, true}, {[]string{"alert", "me"}, true},
	{[]string{"notify", "me"}, false}, {[]string{"tell", "me"}, false}, {[]string{"let", "me", "know"}, false},
	{[]string{"message", "me"}, false}, {[]string{"text", "me"}, false},
}

var (
	// requesters are the words that may come before a request in its clause. Other words
	// make it a statement: "he will remind me".
	requesters = asSet("please", "pls", "you", "and", "then", "just", "also", "so", "now", "hey", "hi", "hello", "ok",
		"okay", "kindly", "kehai", "can", "could", "would", "will", "or", "yes", "i", "i'd", "need", "want", "like",
		"to", "make", "sure", "be", "remember", "forget", "don't", "do", "not", "mind", "maybe", "thanks")
	reports = asSet("said", "says", "say", "told", "tells", "asked", "asks", "wrote", "writes", "if", "unless",
		"whenever", "once", "did", "didn't", "why", "who", "should", "shall", "never")
	questions = asSet("what", "when", "where", "who", "whom", "whose", "why", "how", "which", "if", "whether", "what's",
		"who's", "how's", "where's", "when's")
)

// askEnglish recognises an English request.
func askEnglish(p *parser, found []Found) (asked, bool) {
	for i, t := range p.tokens {
		if t.kind != word {
			continue
		}
		for _, ph := range phrases {
			end := p.row(i, ph.words)
			if end == i || !p.requests(i, found) {
				continue
			}
			asks := stretch{p.at(i).start, p.at(end - 1).end}
			when, cut, ok := pick(found, func(f Found) bool { return ph.firm || p.beside(f, i, end) })
			if !ok || questions[p.at(end).text] || !ph.firm && p.asksMore(end) {
				continue
			}
			return asked{when: when, firm: ph.firm, cut: sorted(append(cut, asks)), after: asks.end}, true
		}
	}
	return asked{}, false
}

// row returns the end of a row of words, or i if they are not at i.
func (p *parser) row(i int, words []string) int {
	for n, w := range words {
		if p.at(i+n).text != w {
			return i
		}
	}
	return i + len(words)
}

// requests reports whether a phrase is a request: nothing before it makes it a statement,
// a condition, a question or a negation.
func (p *parser) requests(i int, found []Found) bool {
	statement := func(t token) bool {
		return reports[t.text] || t.kind == other && strings.Contains("\"“«‘", t.text)
	}
	if slices.ContainsFunc(p.tokens[:i], statement) {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		t := p.at(j)
		switch {
		case t.text == "don't", t.text == "not":
			if !p.is(j+1, "forget") {
				return false
			}
		case t.text == "," || t.text == ";":
			return true
		case t.kind != word || requesters[t.text] || timely(t.text) || within(found, t):
		default:
			return false
		}
	}
	return true
}

// within reports whether a token is part of an expression of time.
func within(found []Found, t token) bool {
	return slices.ContainsFunc(found, func(f Found) bool { return f.Start <= t.start && t.end <= f.End })
}

// timely reports whether a word may end an expression of time, as in "tomorrow remind
// me".
func timely(w string) bool {
	_, weekday := weekdays[w]
	_, month := monthNames[w]
	_, part := dayparts[w]
	return weekday || month || part || english[w].has != 0 || units[w] != noUnit || w == "am" || w == "pm"
}

// beside reports whether an expression of time is right before or after a phrase, or
// after a matter that begins with "to" or "that".
func (p *parser) beside(f Found, i, end int) bool {
	if p.at(end).start == f.Start || p.at(end).text == "," && p.at(end+1).start == f.Start {
		return true
	}
	if i == 0 {
		return f.Start > p.at(end-1).end && p.is(end, "to", "that")
	}
	before := p.at(i - 1)
	return f.End == before.end || before.text == "," && f.End == p.at(i-2).end || requesters[before.text] ||
		f.Start > p.at(end-1).end && p.is(end, "to", "that")
}

// asksMore reports whether a question follows a phrase: "tell me tomorrow how it went".
func (p *parser) asksMore(end int) bool {
	for i := end; i < len(p.tokens) && !p.is(i, ".", "!", "?", "to", "that"); i++ {
		if questions[p.at(i).text] || i == end && p.is(i, "about") {
			return true
		}
	}
	return false
}

// requestsJapanese are the ends of Japanese requests, the firm ones first.
var requestsJapanese = []struct {
	text string
	firm bool
}{
	{"リマインドして", true}, {"リマインドを", true}, {"リマインドお願い", true}, {"リマインド", true}, {"リマインダー", true},
	{"思い出させて", true}, {"起こして", true}, {"アラーム", true}, {"声をかけて", true}, {"声かけて", true}, {"忘れないように言って", true},
	{"教えて", false}, {"おしえて", false}, {"知らせて", false}, {"通知して", false}, {"言って", false}, {"連絡して", false},
}

// tails may follow a Japanese request. Other endings make it a statement: 教えてもらった.
var tails = []string{"ください", "下さい", "くださいね", "ね", "よ", "ほしい", "欲しい", "くれる", "くれない", "くれますか", "くれませんか",
	"もらえる", "もらえますか", "もらえませんか", "もらっていい", "おいて", "おいてね", "おいてください", "お願い", "お願いします",
	"お願いね", "お願いできる", "ほしいです", "ほしいな", "して", "してください", "してほしい", "してね", "して欲しい", "かけて",
	"かけてください", "セットして", "セットしてください", "をセットして", "をかけて", "をお願い", "をお願いします", "頼む", "たのむ", "くれ",
	"いただけますか", "いただけませんか", "頂けますか", "ちょうだい", "もらいたい", "ほしいんだけど", "くださいませんか", "設定して", "を設定して",
	"送って", "を送って", "送ってください", "を送ってください", "入れて",
	"を入れて", "してくれる", "してくれますか", "してもらえる", "してもらえますか", "してくれない", "してくれませんか", "してほしいです", "をかけてください"}

// askJapanese recognises a Japanese request at the end of a sentence.
func askJapanese(p *parser, found []Found) (asked, bool) {
	folded, starts := p.plain()
	for _, r := range requestsJapanese {
		from := strings.LastIndex(folded, r.text)
		if from < 0 {
			continue
		}
		to, ok := tail(folded, from+len(r.text))
		if !ok {
			continue
		}
		asks := stretch{starts[from], starts[to]}
		headed := r.firm && to < len(folded) && strings.HasPrefix(folded[to:], ":") // 「リマインドお願い：明日10時 歯医者」
		when, cut, ok := pick(found, func(f Found) bool {
			return f.End <= asks.start && (r.firm || p.given(f, asks.start)) || headed && f.Start >= asks.end
		})
		if !ok || !r.firm && asksJapanese(folded[:from]) || strings.Contains(folded[:from], "何時") {
			continue
		}
		return asked{when: when, firm: r.firm, cut: sorted(append(p.tied(cut), asks))}, true
	}
	return asked{}, false
}

// plain returns the text folded and without white space, and for each of its bytes the
// position in the original text.
func (p *parser) plain() (folded string, starts []int) {
	var b strings.Builder
	last := 0
	for _, t := range p.tokens {
		s := t.text
		if t.kind == number {
			s = "0"
		}
		b.WriteString(s)
		for range len(s) {
			starts = append(starts, t.start)
		}
		if n := t.end - t.start; n == len(s) { // a term is as long as its text
			for k := range n {
				starts[len(starts)-n+k] = t.start + k
			}
		}
		last = t.end
	}
	return b.String(), append(starts, last)
}

// tied extends each expression of time by the particles after it.
func (p *parser) tied(list []stretch) []stretch {
	for k := range list {
		for i, t := range p.tokens {
			if t.start == list[k].end && p.is(i, "に", "は", "、", "までに", "ごろ", "頃", "で", "の", "したら", "たったら",
				"経ったら") {
				list[k].end = t.end
			}
		}
		for i, t := range p.tokens { // 「3時になったら」
			if t.start == list[k].end && p.row(i, []string{"な", "っ", "た", "ら"}) > i {
				list[k].end = p.at(i + 3).end
			}
		}
	}
	return list
}

// tail returns the end of a request whose sentence continues at from.
func tail(s string, from int) (int, bool) {
	rest := s[from:]
	if next := strings.IndexAny(rest, "。.!?！？、,:\n~ー♪"); next >= 0 {
		rest = rest[:next]
	}
	trimmed := strings.TrimRight(rest, "ねよなwｗ笑😊🙏✨")
	if trimmed == "" {
		return from + len(rest), true
	}
	for _, t := range tails {
		if trimmed == t || rest == t {
			return from + len(rest), true
		}
	}
	return from, false
}

// given reports whether an expression of time says when to remind, not what of: に, a
// comma or the request itself follows.
func (p *parser) given(f Found, request int) bool {
	if f.End == request {
		return true
	}
	for i, t := range p.tokens {
		if t.start < f.End {
			continue
		}
		if t.start >= request {
			return true
		}
		for k := i; p.at(k).start < request; k++ {
			if p.is(k, "。", ".", "!", "?", "！", "？") {
				return false
			}
		}
		if p.is(i, "、", ",", "に", "ごろ", "頃", "ころ", "ちょうど", "したら", "たったら", "経ったら") {
			return true
		}
		return p.is(i, "で") && f.fields.has&hasDistance != 0 || p.is(i, "は") && f.fields.has&hasClock != 0
	}
	return true
}

// asksJapanese reports whether a text before a request asks for an answer instead of a
// reminder: 何時か教えて.
func asksJapanese(s string) bool {
	if strings.HasSuffix(s, "か") || strings.HasSuffix(s, "かを") {
		return true
	}
	for _, w := range []string{"について", "どこ", "何を", "何が", "何時", "なに", "いつ", "どう", "誰", "だれ", "なぜ", "どれ", "どの", "いくつ",
		"いくら", "やり方", "方法", "とは"} {
		if strings.Contains(s, w) {
			return true
		}
	}
	return false
}

// pick chooses the expression that says when to remind somebody. A day and a time in
// different places are combined.
func pick(found []Found, fits func(Found) bool) (f fields, cut []stretch, ok bool) {
	for _, x := range found {
		if !fits(x) {
			continue
		}
		f, cut = x.fields, []stretch{{x.Start, x.End}}
		for _, y := range found {
			apart := x.fields.has&(hasClock|hasPart) == 0 && y.fields.has&dated == 0 ||
				y.fields.has&(hasClock|hasPart) == 0 && x.fields.has&dated == 0
			if y.Start == x.Start || !apart {
				continue
			}
			if both, good := f.with(y.fields); good {
				return both, append(cut, stretch{y.Start, y.End}), true
			}
		}
		return f, cut, true
	}
	return fields{}, nil, false
}

// sorted sorts stretches.
func sorted(list []stretch) []stretch {
	for i := range list {
		for j := i; j > 0 && list[j].start < list[j-1].start; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	return list
}
