package tesseract

import (
	"image"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// part is a run of symbols of one line.
type part struct {
	from, to    int // symbols
	class       class
	left, right int // columns
}

// class is what symbols are.
type class int

const (
	japanese class = iota
	word           // of other letters
	figures        // a word with a digit, a sign or an address, and those next to it
)

// spread finds where each symbol stands in a text, and notes the spaces before them.
func spread(text string, symbols []symbol) (at []int, ok bool) {
	pos := 0
	for i, s := range symbols {
		rest := strings.TrimLeft(text[pos:], " \u3000")
		if s.text == "" || !strings.HasPrefix(rest, s.text) {
			return nil, false
		}
		start := len(text) - len(rest)
		symbols[i].spaced = start > pos
		at = append(at, start)
		pos = start + len(s.text)
	}
	return at, strings.Trim(text[pos:], " \u3000") == ""
}

// partsOf splits the symbols of a line. last: no line is below it.
func partsOf(symbols []symbol, last bool) (out []part) {
	for i, s := range symbols {
		c := word
		if wideSymbol(s.text) && !signAsKana(symbols, i, last) {
			c = japanese
		}
		n := len(out) - 1
		if n >= 0 && (out[n].class == japanese) == (c == japanese) && (c == japanese || !s.spaced) {
			out[n].to = i + 1
			continue
		}
		out = append(out, part{from: i, to: i + 1, class: c})
	}
	return joined(out, symbols)
}

// joined marks words as figures, and joins those that belong together: a number that is written, and an address that
// is read, with spaces in it.
func joined(parts []part, symbols []symbol) (out []part) {
	said := func(p part) string { return textOf(symbols[p.from:p.to]) }
	for _, p := range parts {
		if p.class == word && figure(said(p)) {
			p.class = figures
		}
		n := len(out) - 1
		switch {
		case n < 0 || p.class == japanese || out[n].class == japanese:
		case p.class == figures && out[n].class == figures, strings.ContainsAny(symbols[p.from-1].text, linking),
			strings.ContainsAny(symbols[p.from].text, linking):
			out[n].to, out[n].class = p.to, max(out[n].class, p.class)
			continue
		}
		out = append(out, p)
	}
	for i := 1; i < len(out); i++ {
		before, p := out[i-1], out[i]
		if before.class == figures && p.class == word && strings.ContainsAny(said(before), inLinks) &&
			strings.Contains(strings.TrimRight(said(p), "."), ".") {
			out[i-1].to = p.to
			out = slices.Delete(out, i, i+1)
			i--
		}
	}
	return out
}

// linking is what addresses have between their words.
const linking = ".:/@_-="

// signAsKana reports a kana that is in fact a sign: it stands beside a digit where no Japanese has it, or is not surely
// read. € is read as を, £ as ま, and now and then either of them as another one.
func signAsKana(symbols []symbol, i int, last bool) bool {
	s := symbols[i].text
	if !strings.Contains("をまるぎも", s) {
		return false
	}
	digit := func(i int) bool {
		return i >= 0 && i < len(symbols) && strings.ContainsFunc(symbols[i].text, unicode.IsDigit)
	}
	if digit(i+1) && !symbols[i+1].spaced {
		return i == 0 || !wideSymbol(symbols[i-1].text) || symbols[i].confidence < sureFigure ||
			strings.Contains("をま", s) && strings.Contains("はがでをにへとも", symbols[i-1].text)
	}
	if s != "を" || !digit(i-1) || symbols[i].spaced {
		return false
	}
	if i+1 == len(symbols) {
		return last
	}
	after := symbols[i+1].text
	return !wideSymbol(after) || strings.Contains("でだにはがもをとく。、！？", after)
}

// wideSymbol reports a symbol as wide as the type is high.
func wideSymbol(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool {
		return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) || r == 'ー' ||
			r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF65
	})
}

// inkIn returns the runs of columns with ink in a part of a picture, which counts from the picture's first pixel.
func inkIn(img *image.Gray, box image.Rectangle) (out [][2]int) {
	start := -1
	for x := box.Min.X; x <= box.Max.X; x++ {
		inked := false
		for y := box.Min.Y; x < box.Max.X && y < box.Max.Y && !inked; y++ {
			inked = img.Pix[y*img.Stride+x] < inkBelow
		}
		switch {
		case inked && start < 0:
			start = x
		case !inked && start >= 0:
			out, start = append(out, [2]int{start, x}), -1
		}
	}
	return out
}

// inkBelow is how dark a pixel is that keeps two letters together.
const inkBelow = 160

// Weights of what tells where a part of a line ends, in widths of a Japanese letter.
const (
	weightOfWidth = 0.35 // of a part that is not Japanese: fonts differ
	weightOfPlace = 0.3  // where the library says that its first symbol begins
	endSlack      = 0.15 // by which the ink of the last letter may end earlier
	stopSlack     = 0.7  // likewise, of a full stop
	leastSpace    = 0.15 // between words
	spaceCost     = 0.5  // of words without one
	muchWider     = 3    // times what a part is, with a letter more, it is not
	emSteps       = 29   // widths of a Japanese letter that are tried
	mostInk       = 400  // runs of it in a line
)

// place finds the columns of the parts of a line. The library's own places of symbols are off by up to a letter. But
// parts begin and end in gaps of the ink, and the Japanese ones are as wide as they have letters.
func place(parts []part, symbols []symbol, ink [][2]int, high int) bool {
	if len(ink) < len(parts) || len(parts) == 0 || len(ink) > mostInk {
		return false
	}
	low, up := 0.8*float64(high), 1.35*float64(high)
	if pitch := pitchOf(symbols); pitch > low && pitch < up {
		low, up = 0.93*pitch, 1.08*pitch
	}
	best, ends := math.Inf(1), []int(nil)
	for i := range emSteps {
		em := low + (up-low)*float64(i)/(emSteps-1)
		if cost, e := placed(parts, symbols, ink, em); cost < best {
			best, ends = cost, e
		}
	}
	from := 0
	for i, to := range ends {
		parts[i].left, parts[i].right = ink[from][0], ink[to-1][1]
		from = to
	}
	return ends != nil
}

// placed is place for one width of a Japanese letter. It returns after how many runs of ink each part ends.
func placed(parts []part, symbols []symbol, ink [][2]int, em float64) (float64, []int) {
	n := len(ink) + 1
	cost, came := make([][]float64, len(parts)+1), make([][]int, len(parts)+1)
	for i := range cost {
		cost[i], came[i] = slices.Repeat([]float64{math.Inf(1)}, n), make([]int, n)
	}
	cost[0][0] = 0
	for i, p := range parts {
		want := float64(p.to - p.from)
		if p.class != japanese {
			want = widthOf(symbols[p.from:p.to])
		}
		last := i == len(parts)-1
		first, most := i+1, n-len(parts)+i // each part that follows has a run of ink
		if last {
			first = most
		}
		for to := first; to <= most; to++ {
			beyond := 0.0
			if !last {
				beyond = boundaryCost(symbols[p.to], p.class, parts[i+1].class, ink, to, em)
			}
			for from := to - 1; from >= i; from-- {
				wide := (middle(ink, to) - middle(ink, from)) / em
				if wide > muchWider*(want+1) {
					break
				}
				c := cost[i][from] + beyond + widthCost(p.class, symbols[p.to-1].text, wide-want, last)
				if c < cost[i+1][to] {
					cost[i+1][to], came[i+1][to] = c, from
				}
			}
		}
	}
	total := cost[len(parts)][n-1]
	if math.IsInf(total, 1) {
		return total, nil
	}
	ends := make([]int, len(parts))
	for i, at := len(parts), n-1; i > 0; i-- {
		ends[i-1], at = at, came[i][at]
	}
	return total, ends
}

// middle is the middle of the gap after so many runs of ink.
func middle(ink [][2]int, after int) float64 {
	switch after {
	case 0:
		return float64(ink[0][0])
	case len(ink):
		return float64(ink[after-1][1])
	}
	return float64(ink[after-1][1]+ink[after][0]) / 2
}

// boundaryCost is what speaks against the symbol that begins a part to begin after so many runs of ink.
func boundaryCost(s symbol, before, after class, ink [][2]int, at int, em float64) float64 {
	cost := weightOfPlace * math.Abs(middle(ink, at)-float64(s.left)) / em
	if before != japanese && after != japanese && float64(ink[at][0]-ink[at-1][1]) < leastSpace*em {
		cost += spaceCost
	}
	return cost
}

// widthCost is what speaks against a part that is wider than its symbols by so much. ends is its last symbol.
func widthCost(c class, ends string, wider float64, last bool) float64 {
	cost := math.Abs(wider)
	switch {
	case c != japanese:
		return weightOfWidth * cost
	case last && wider < 0 && strings.ContainsAny(ends, "、。，．」）"):
		return max(0, cost-stopSlack)
	case last && wider < 0:
		return max(0, cost-endSlack)
	}
	return cost
}

// widthOf is about how wide symbols other than Japanese ones are, in widths of a Japanese letter.
func widthOf(symbols []symbol) (sum float64) {
	for i, s := range symbols {
		if i > 0 && s.spaced {
			sum += 0.3
		}
		r, _ := utf8.DecodeRuneInString(s.text)
		switch {
		case strings.ContainsRune("をまるぎも", r): // a sign in fact, where it is not among Japanese
			sum += 0.56
		case strings.ContainsRune(".,:;'!|ilIj", r):
			sum += 0.3
		case strings.ContainsRune("mwMW%@", r):
			sum += 0.85
		default:
			sum += 0.56
		}
	}
	return sum
}
