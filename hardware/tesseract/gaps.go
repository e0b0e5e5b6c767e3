package tesseract

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// symbol is one recognised character with the columns that it covers.
type symbol struct {
	text        string
	left, right int
	confidence  float64 // 0 to 1
	spaced      bool    // there is a space before it
}

// wideGap is the share of a letter's pitch from which the blank between two
// Japanese letters counts as a typed space.
const wideGap = 0.8

// spaced marks the wide gaps of a line with ideographic spaces. The library puts
// spaces between Japanese letters at random, and its boxes of single letters are
// off by up to half a letter, so only the pixels can tell. blank returns the runs
// of empty columns that are at least that wide. Each run belongs to the nearest
// boundary between two characters. Punctuation has blank space of its own, so
// nothing is marked beside it. If symbols and text disagree, the text stays as it
// is.
func spaced(text string, symbols []symbol, blank func(width int) [][2]int) string {
	pitch := pitchOf(symbols)
	if pitch == 0 {
		return text
	}
	wide := map[int]bool{} // before these symbols
	for _, b := range blank(int(math.Ceil(wideGap * pitch))) {
		best, off := 0, pitch
		for i := 1; i < len(symbols); i++ {
			if d := math.Abs(float64(symbols[i-1].right+symbols[i].left-b[0]-b[1]) / 2); d < off {
				best, off = i, d
			}
		}
		if best > 0 && letter(symbols[best-1].text) && letter(symbols[best].text) {
			wide[best] = true
		}
	}
	var out strings.Builder
	rest := text
	for i, s := range symbols {
		bare := strings.TrimLeft(rest, " ")
		if !strings.HasPrefix(bare, s.text) {
			return text
		}
		gap := rest[:len(rest)-len(bare)]
		if wide[i] {
			gap = "\u3000"
		}
		out.WriteString(gap + s.text)
		rest = bare[len(s.text):]
	}
	return out.String() + rest
}

// blankColumns returns the runs of columns without ink, at least width wide,
// between the first and the last column with ink.
func blankColumns(pix []byte, stride, left, top, right, bottom, width int) (out [][2]int) {
	start := -1 // of the current run; -1: no ink yet
	for x := left; x < right; x++ {
		inked := false
		for y := top; y < bottom && !inked; y++ {
			inked = pix[y*stride+x] < 128
		}
		if !inked {
			continue
		}
		if start >= 0 && x-start >= width {
			out = append(out, [2]int{start, x})
		}
		start = x + 1
	}
	return out
}

// pitchOf is the median distance between the starts of neighbouring Japanese
// letters; 0 if there are too few to tell.
func pitchOf(symbols []symbol) float64 {
	var steps []int
	for i := 1; i < len(symbols); i++ {
		if letter(symbols[i-1].text) && letter(symbols[i].text) {
			steps = append(steps, symbols[i].left-symbols[i-1].left)
		}
	}
	if len(steps) < 4 { // too few to tell a pitch
		return 0
	}
	slices.Sort(steps)
	return float64(max(steps[(len(steps)-1)/2], 0))
}

// letter reports whether s is a kana or an ideograph.
func letter(s string) bool {
	for _, r := range s {
		if !unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) && r != 'ー' {
			return false
		}
	}
	return s != ""
}
