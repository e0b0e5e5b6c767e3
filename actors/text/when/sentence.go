package when

import (
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/width"
)

// sentences returns the stretches of a text that end with a line, a full stop, an
// exclamation mark or a question mark. Quotations are not cut.
func sentences(text string) (list []stretch) {
	from, quoted := 0, 0
	end := func(at int) {
		if strings.TrimSpace(text[from:at]) != "" {
			list = append(list, stretch{from, at})
		}
		from = at
	}
	for i, r := range text {
		next := i + utf8.RuneLen(r)
		switch {
		case strings.ContainsRune("「『“", r):
			quoted++
		case strings.ContainsRune("」』”", r):
			quoted = max(0, quoted-1)
		case r == '\n':
			quoted = 0
			end(next)
		case quoted > 0:
		case strings.ContainsRune("。！？!?", r), r == '.' && stops(text, next):
			end(next)
		}
	}
	end(len(text))
	return list
}

// stops reports whether a period before at ends a sentence: nothing follows, or a space
// and then a capital letter or another script. After a single letter it is an
// abbreviation, as in "a.m. Monday".
func stops(text string, at int) bool {
	rest := strings.TrimLeftFunc(text[at:], unicode.IsSpace)
	if rest == "" {
		return true
	}
	before := strings.FieldsFunc(text[:at-1], func(r rune) bool { return unicode.IsSpace(r) || r == '.' })
	if n := len(before); len(rest) == len(text[at:]) || n > 0 && utf8.RuneCountInString(before[n-1]) == 1 {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsUpper(r) || r >= 0x3040
}

// leads are the ways to ask for a reminder some time before the time that is named.
var leads = []*regexp.Regexp{
	regexp.MustCompile(`([0-9０-９]{1,3})(分|時間|日)前に(?:は|、)?(?:リマインド|教え|知らせ|起こ|声|思い出|言って|通知|アラーム)`),
	regexp.MustCompile(`(?i)\b([0-9]{1,3}) ?(minutes?|mins?|hours?|hrs?|days?) (?:before|ahead of|prior to)`),
}

// lead removes from a sentence how long before its time the reminder should come.
func lead(sentence string) (rest string, d time.Duration) {
	for _, form := range leads {
		m := form.FindStringSubmatchIndex(sentence)
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(width.Narrow.String(sentence[m[2]:m[3]]))
		if err != nil {
			continue
		}
		of := map[unit]time.Duration{minutes: time.Minute, hourly: time.Hour, daily: 24 * time.Hour}
		d = time.Duration(n) * of[units[strings.ToLower(sentence[m[4]:m[5]])]]
		end := m[5]
		if form == leads[0] {
			end += len("前に")
		} else {
			end = m[1]
		}
		return sentence[:m[0]] + strings.Repeat(" ", end-m[0]) + sentence[end:], d
	}
	return sentence, 0
}

// Polite words around a matter.
var (
	politeAfter = regexp.MustCompile(`(?i)(?:[\s,]+(?:please|pls|thanks|thank you|thx|cheers)(?: a lot| so much)?|` +
		`,\s*(?:ok|okay|alright|all right|right|will you|would you|could you|can you))+[\s,.!?]*$`)
	politeJapanese = regexp.MustCompile(`^(?:ねえ|ねぇ|あのさ?|すみません(?:が|けど)?|悪いけど|ごめん|お願い(?:します)?|` +
		`じゃあ|あと|それと|ついでに)[、,。！!\s]+|` +
		`(?:^|[、,。！!\s]+)(?:お願い|おねがい|よろしく|頼む|頼み)[ぁ-んー！!。、]*$`)
	forgetting = regexp.MustCompile(`(?:(?:こと|の)?を)?忘れ(?:ない|ん)(?:よう(?:に)?)?$`)
)
