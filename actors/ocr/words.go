package ocr

import (
	"strings"
	"unicode"
)

// misread are whole words in which I was taken for another letter, and words
// that stand so close behind an I that they seem one.
var misread = map[string]string{
	"lam": "I am", "Iam": "I am", "ls": "Is", "lt": "It", "lts": "Its", "lt's": "It's", "lf": "If", "ln": "In",
	"Itis": "It is", "ltis": "It is", "lsit": "Is it", "l'm": "I'm", "l'll": "I'll", "l've": "I've", "l'd": "I'd",
	"l’m": "I’m", "l’ll": "I’ll", "l’ve": "I’ve", "l’d": "I’d",
}

// afterIAm are words that follow "I am" and no clock time, as "1am" would be.
var afterIAm = map[string]bool{
	"here": true, "there": true, "not": true, "so": true, "sorry": true, "late": true, "home": true,
	"fine": true, "sure": true,
	"ready": true, "afraid": true, "happy": true, "tired": true, "still": true, "just": true,
	"very": true, "really": true,
	"a": true, "the": true, "your": true, "back": true, "almost": true, "already": true,
}

// repairWords mends words in which letters of the same shape were confused: I and
// l, and the w of laughter, which has the shape of W. Only words are touched
// that mean nothing else: "lam", not "1am" before "works".
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
		case core == "l" && (allLatin(before) || allLatin(after)):
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

// lowercaseW makes two or more W in a row small, which is laughter, where no Latin word or digit
// stands beside them.
func lowercaseW(s string) string {
	r := []rune(s)
	for i := 0; i < len(r); {
		j := i
		for j < len(r) && r[j] == 'W' {
			j++
		}
		if j-i >= 2 && !wordly(neighbour(r, i, -1)) && !wordly(neighbour(r, j-1, 1)) {
			for k := i; k < j; k++ {
				r[k] = 'w'
			}
		}
		i = max(j, i+1)
	}
	return string(r)
}

func wordly(r rune) bool {
	return latin(r) || unicode.IsDigit(r) || r == '.' || r == '/' || r == ':' || r == '@' || r == '_'
}
