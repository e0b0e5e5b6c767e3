package ocr

import (
	"regexp"
	"strings"
	"unicode"
)

// exact are readings that mean nothing else: a yen sign before an amount or 円 behind it, the comma in it, a syllable
// that was read twice, a lost voicing mark, a long vowel read as the numeral, and in an address the
// second slash and the sign before a value.
var exact = []struct {
	wrong *regexp.Regexp
	right string
}{
	{regexp.MustCompile(`\\(\d)`), "¥$1"},
	{regexp.MustCompile(`([¥￥][1-9]\d{0,2})\.(\d{3})(\D|$)`), "$1,$2$3"},
	{regexp.MustCompile(`(^|[^\d.,])([1-9]\d{0,2})\.(\d{3})円`), "$1$2,${3}円"},
	{regexp.MustCompile(`([1-9]\d{0,2},\d{3})F9`), "${1}円"},
	{regexp.MustCompile(`そろそ[るろ]+ろ`), "そろそろ"},
	{regexp.MustCompile(`いろい[るろ]+ろ`), "いろいろ"},
	{regexp.MustCompile(`(^|[朝昼晩夕お、。！？ ])(どは|どごは)ん`), "${1}ごはん"},
	{regexp.MustCompile(`([ァ-ヺー])一([ァ-ヺー])`), "${1}ー${2}"},
	{regexp.MustCompile(`([^た]った|[えねよわ])一($|[！？!?。、…])`), "${1}ー${2}"},
	{regexp.MustCompile(`(https?:/)([a-z0-9])`), "${1}/${2}"},
	{regexp.MustCompile(`(https?://[!-~]*[?&][A-Za-z_]+)三`), "${1}="},
}

// repairExact repairs these.
func repairExact(s string) string {
	for _, e := range exact {
		s = e.wrong.ReplaceAllString(s, e.right)
	}
	return s
}

// misread maps whole words in which I was read as another letter, or was joined to
// the next word, to what they mean.
var misread = map[string]string{
	"lam": "I am", "Iam": "I am", "ls": "Is", "lt": "It", "lts": "Its", "lt's": "It's", "lf": "If", "ln": "In",
	"Itis": "It is", "ltis": "It is", "lsit": "Is it", "l'm": "I'm", "l'll": "I'll", "l've": "I've", "l'd": "I'd",
	"l’m": "I’m", "l’ll": "I’ll", "l’ve": "I’ve", "l’d": "I’d", "I'l": "I'll", "I’l": "I’ll",
}

// afterI are words that follow "I" at the beginning but not a number.
var afterI = map[string]bool{
	"agree": true, "think": true, "know": true, "have": true, "had": true, "like": true, "love": true,
	"want": true, "hope": true, "guess": true, "need": true, "don't": true, "don’t": true, "can't": true,
	"can’t": true, "didn't": true, "didn’t": true, "am": true,
}

// afterIAm are words that follow "I am" but not the clock time "1am".
var afterIAm = map[string]bool{
	"here": true, "there": true, "not": true, "so": true, "sorry": true, "late": true, "home": true,
	"fine": true, "sure": true,
	"ready": true, "afraid": true, "happy": true, "tired": true, "still": true, "just": true,
	"very": true, "really": true,
	"a": true, "the": true, "your": true, "back": true, "almost": true, "already": true,
}

// repairWords repairs words in which letters of the same shape were confused: I
// and l, and w and W in laughter. It changes only words that mean nothing else:
// "lam", but not "1am" before "works".
func repairWords(s string) string {
	list := strings.Split(s, " ")
	before := ""
	for i, w := range list {
		core := strings.TrimRightFunc(w, func(r rune) bool { return r != '\'' && r != '’' && unicode.IsPunct(r) })
		tail := w[len(core):]
		after := ""
		if i+1 < len(list) {
			after = strings.TrimRightFunc(list[i+1], unicode.IsPunct)
		}
		switch fixed, ok := misread[core]; {
		case ok:
			list[i] = fixed + tail
		case strings.HasPrefix(core, "l") && afterI[core[1:]], strings.HasPrefix(core, "I") && afterI[core[1:]]:
			list[i] = "I " + core[1:] + tail
		case core == "l" && (allLatin(before) || allLatin(after)), i == 0 && w == "1" && afterI[after]:
			list[i] = "I" + tail
		case i == 0 && core == "1am" && tail == "" && (afterIAm[after] || strings.HasSuffix(after, "ing")):
			list[i] = "I am"
		}
		before = w
	}
	return lowercaseW(strings.Join(list, " "))
}

func allLatin(w string) bool {
	return w != "" && !strings.ContainsFunc(w, func(r rune) bool { return !latin(r) && r != '\'' && r != '’' })
}

// lowercaseW lowercases two or more W in a row, which mean laughter, unless a Latin
// letter or a digit stands beside them.
func lowercaseW(s string) string {
	r := []rune(s)
	for i := 0; i < len(r); {
		j := i
		for j < len(r) && r[j] == 'W' {
			j++
		}
		if j-i >= 2 && !inWord(neighbour(r, i, -1)) && !inWord(neighbour(r, j-1, 1)) {
			for k := i; k < j; k++ {
				r[k] = 'w'
			}
		}
		i = max(j, i+1)
	}
	return string(r)
}

func inWord(r rune) bool {
	return latin(r) || unicode.IsDigit(r) || r == '.' || r == '/' || r == ':' || r == '@' || r == '_'
}
