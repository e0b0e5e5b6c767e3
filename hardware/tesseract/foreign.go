package tesseract

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/image/draw"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// A language that is not installed is read as letters of one that is: the library always finds some. What
// gives it away is that the letters depend on the size at which it reads. So a line of which the library is
// not sure is read twice, the second time enlarged.
const (
	sureFrom       = 0.8 // confidence of a reading that is not doubted
	mostDifference = 0.1 // between two readings of one text, as a share of its letters
	leastEdits     = 2   // between the readings of a foreign line: one letter may be misread
	leastLetters   = 4   // fewer tell nothing
	oddWords       = 2   // of a foreign line that is read twice alike
	kanaRun        = 3   // hiragana in a row that are Japanese if both readings have them
	enlargement    = 5. / 3
)

// foreign reports whether two readings show a line in none of the languages that were read for. again is ""
// if the second found nothing, which tells nothing: a single line may need another size.
func foreign(first, again messages.Line) bool {
	if first.Confidence >= sureFrom || again.Confidence >= sureFrom {
		return false
	}
	a, b := words(string(first.Text)), words(string(again.Text))
	x, y := []rune(strings.Join(a, "")), []rune(strings.Join(b, ""))
	if letters(x) < leastLetters || len(y) == 0 || kanaInBoth(x, y) {
		return false
	}
	otherwise := text.EditDistance(x, y) >= leastEdits && text.Difference(x, y) > mostDifference
	return otherwise || odd(a) >= oddWords && odd(b) > 0
}

// words are those of a line but for addresses, whose letters follow no language.
func words(line string) []string {
	return slices.DeleteFunc(strings.Fields(line), func(w string) bool {
		return strings.Contains(w, ":/") || strings.ContainsAny(w, "@\\") || strings.Contains(w, "www.")
	})
}

// odd counts words that no language writes: small letters before or after capitals in the middle of a word,
// or a figure between letters.
func odd(list []string) (n int) {
	for _, w := range list {
		r := []rune(strings.TrimFunc(w, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }))
		for i := 1; i+1 < len(r); i++ {
			before, c, after := r[i-1], r[i], r[i+1]
			capital := unicode.IsUpper(c) &&
				(unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(after))
			if capital || unicode.IsDigit(c) && unicode.IsLetter(before) && unicode.IsLetter(after) {
				n++
				break
			}
		}
	}
	return n
}

func letters(r []rune) (n int) {
	for _, c := range r {
		if unicode.IsLetter(c) {
			n++
		}
	}
	return n
}

// kanaInBoth reports whether both readings have the same hiragana in a row: that is Japanese beside something
// else, such as an emoji. One letter again and again is also read in what is no text.
func kanaInBoth(a, b []rune) bool {
	both := string(b)
	for i := range len(a) - kanaRun + 1 {
		run := a[i : i+kanaRun]
		other := func(c rune) bool { return !unicode.Is(unicode.Hiragana, c) }
		if !slices.ContainsFunc(run, other) && len(slices.Compact(slices.Clone(run))) > 1 &&
			strings.Contains(both, string(run)) {
			return true
		}
	}
	return false
}

// askedAgain reports whether whoever asked asks for Latin letters next: a reading as Japanese that is mostly Latin
// does not count.
func askedAgain(lines []messages.Line, hint hardware.Hint) bool {
	return hint.Lang != hardware.LangLatin && mostlyLatin(lines)
}

// doubted reports whether a bubble must be read again to tell whether it is foreign.
func doubted(lines []messages.Line, hint hardware.Hint) bool {
	if !hint.Block || askedAgain(lines, hint) {
		return false
	}
	return slices.ContainsFunc(lines, func(l messages.Line) bool {
		return l.Confidence < sureFrom && letters([]rune(string(l.Text))) >= leastLetters
	})
}

func mostlyLatin(lines []messages.Line) bool {
	balance := 0
	for _, l := range lines {
		balance += text.LatinBalance(string(l.Text))
	}
	return balance > 0
}

// marked marks the foreign lines by another reading of their picture, enlarged.
func marked(lines, again []messages.Line) []messages.Line {
	for i, l := range lines {
		middle := enlargement * (float64(l.Box.Y) + float64(l.Box.H)/2)
		at := slices.IndexFunc(again, func(o messages.Line) bool {
			return middle >= float64(o.Box.Y) && middle < float64(o.Box.Y+o.Box.H)
		})
		lines[i].Foreign = at >= 0 && foreign(l, again[at])
	}
	return lines
}

func isForeign(l messages.Line) bool { return l.Foreign }

// enlarged is nil if the picture is too large for that.
func enlarged(img *image.Gray) *image.Gray {
	size := img.Rect.Size()
	if enlargement*float64(max(size.X, size.Y)) > math.MaxInt16 {
		return nil
	}
	out := image.NewGray(image.Rect(0, 0, int(enlargement*float64(size.X)), int(enlargement*float64(size.Y))))
	draw.CatmullRom.Scale(out, out.Rect, img, img.Rect, draw.Src, nil)
	return out
}
