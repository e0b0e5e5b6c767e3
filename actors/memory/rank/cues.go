package rank

import (
	"regexp"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/memory/lexical"
	"github.com/kehai-run/kehai/actors/text/when"
)

var (
	numbered = regexp.MustCompile(`[0-9０-９]|[一二三四五六七八九十百千万]+[人回個冊匹歳年月日週時分円度枚本杯]|(?i:\b(?:one|two|three|four|` +
		`five|six|seven|eight|nine|ten|eleven|twelve|dozen|couple|several|twice|once|hundred|thousand|half)\b)`)
	durations = regexp.MustCompile(`(?i:\b(?:since|ago|yesterday|today|tonight|tomorrow|weekend|month|week|year|` +
		`day)s?\b)|時間|日間|週間|ヶ月|か月|年間|以来|前に`)
	placed = regexp.MustCompile(`\b(?:in|at|to|from|near|visit|visited|visiting|around|through)\s+(?:the\s+)?\p{Lu}|` +
		`[\p{Han}\p{Katakana}ー]{2,}(?:に行|へ行|に着|から来|に住|で会|に引っ越|に泊|へ旅|を訪)|` +
		`[\p{Han}\p{Katakana}ー]+(?:市|県|町|村|駅|区|島|海岸|公園|ホテル|空港)`)
	personal = regexp.MustCompile(`(?i:\b(?:mother|father|mom|mum|dad|sister|brother|son|daughter|wife|husband|` +
		`friend|uncle|aunt|cousin|grandma|grandpa|grandmother|grandfather|boss|teacher|colleague|coworker|` +
		`neighbou?r|partner|roommate|niece|nephew|boyfriend|girlfriend|family|kids?)s?\b)|` +
		`[\p{Han}\p{Katakana}\p{Hiragana}ー](?:さん|ちゃん|くん|先生|先輩|後輩)|` +
		`母|父|姉|兄|妹|弟|祖母|祖父|友達|友人|同僚|上司|親友|いとこ|叔父|叔母|夫|妻|彼女|彼氏`)
	named = regexp.MustCompile(`(?:[a-z,;]\s+|[a-z]-)\p{Lu}\p{Ll}+`)
)

// start is how much of a turn is read for cues.
func start(s string) string {
	const enough = 2 << 10 // bytes
	if len(s) > enough {
		s = strings.ToValidUTF8(s[:enough], "")
	}
	return s
}

// Asks reports whether a turn ends in a question.
func Asks(s string) bool {
	s = strings.TrimRight(s, " 。.!！〜~☺😊")
	for _, end := range []string{"?", "？", "ですか", "ますか", "ましたか"} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return false
}

// tells reports whether a turn that ends in a question says something before it.
func tells(s string) bool {
	const enough = 4 // telling words or pairs
	s = strings.TrimRight(start(s), " ?？。.!！〜~☺😊")
	n := 0
	for _, t := range lexical.Terms(s[:max(0, strings.LastIndexAny(s, ".!?。！？\n"))]) {
		if !t.Common && (t.Kind == lexical.Word || t.Kind == lexical.Pair) {
			n++
		}
	}
	return n >= enough
}

// holds reports whether a turn seems to contain what is sought.
func holds(s string, what Sought, at time.Time) bool {
	s = start(s)
	switch what {
	case Moment:
		return durations.MatchString(s) || len(when.Find(s, at, when.Past)) > 0
	case Amount:
		return numbered.MatchString(s)
	case Place:
		return placed.MatchString(s)
	case Person:
		return personal.MatchString(s) || named.MatchString(s)
	}
	return false
}
