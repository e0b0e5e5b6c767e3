package tesseract

import (
	"image"
	"image/draw"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/messages"
)

// The Japanese engine knows neither £ nor € nor ¥, takes a slashed 0 for 9 and % for 9 or 96, and is nearly as sure of
// that as of anything. The English one reads all of them where nothing Japanese stands beside them. So figures are cut
// out of their line and read in English as well, but for those that are hardly ever misread. Where the two differ, a
// third reading of what was cut out, enlarged, decides for the second, or nothing does: then the line is doubtful.
const (
	figuresIn  = "eng" // the language that has all signs
	sureFigure = 0.987 // confidence of symbols that are surely read; it hardly rises above 0.99
	sureBeside = 0.97  // likewise of those beside them: a figure that was left out shows there
	sureSecond = 0.85  // confidence from which a second reading counts more than the first
	fairSecond = 0.6   // likewise where that is unsure and has no more digits, and no kana
	whiteAside = 12    // white pixels around what is cut out
	rimOfLine  = 4     // pixels by which the ink of a line may stand out of its box
)

// signs make a word one of figures, as a digit does; so does what addresses have.
const (
	signs   = `%$£€¥\`
	inLinks = "/@_"
)

// figure reports whether a text says an amount, a number or an address.
func figure(s string) bool {
	return strings.ContainsFunc(s, unicode.IsDigit) || strings.ContainsAny(s, signs+inLinks)
}

// misleading are forms that figures take when they are misread with confidence: a sign read as a letter, a comma as a
// point, % as 9%, and l in an address as L.
var misleading = regexp.MustCompile(`^[A-Za-z#]{1,2}\d|\d\.\d{3}(\D|$)|%%|[^\d%]9%|[a-z]L[a-z.]`)

// unwritten is what nobody writes, even if two readings agree on it: a host with a large L among small letters, and
// addresses without a point, a slash or a name.
var unwritten = regexp.MustCompile(
	`[/@.][a-z]*[a-z]L[a-z.]|^[a-z]+L[a-z]*\.|[/@]L[a-z]|www[^.]|:/([^/]|$)|:///|@\d[^A-Za-z]*$`)

// surelyRead reports whether a part of a line counts as it is read where a second reading is no surer.
func surelyRead(symbols []symbol, p part) bool {
	of := symbols[p.from:p.to]
	unsure := func(s symbol) bool { return s.confidence < sureFigure || wideSymbol(s.text) }
	beside := func(i int) bool { return i >= 0 && i < len(symbols) && symbols[i].confidence < sureBeside }
	return !misleading.MatchString(textOf(of)) && !slices.ContainsFunc(of, unsure) && !beside(p.from-1) && !beside(p.to)
}

// worthSecond reports whether a part of a line is read again: figures that are not surely read or may have a slashed 0,
// and addresses.
func worthSecond(symbols []symbol, p part) bool {
	return p.class == figures &&
		(!surelyRead(symbols, p) || strings.ContainsAny(textOf(symbols[p.from:p.to]), "9"+inLinks))
}

func textOf(symbols []symbol) string {
	var b strings.Builder
	for _, s := range symbols {
		b.WriteString(s.text)
	}
	return b.String()
}

// second is a further reading of a part of a line.
type second struct {
	text       string
	confidence float64
}

// settled is what a part of a line says by its first reading and a second one, and whether that is certain. surely: the
// first is [surelyRead]. more is a third; it is asked for only if the two disagree.
func settled(first string, surely bool, again second, more func() second) (text string, certain bool) {
	first = strings.ReplaceAll(first, "%%", "%")
	a, b := bareFigures(first), bareFigures(again.text)
	if agree(a, b) {
		if a == b && strings.ContainsAny(a, inLinks) && strings.Count(again.text, " ") < strings.Count(first, " ") {
			first = again.text // an address has no spaces
		}
		return first, !unwritten.MatchString(a)
	}
	third := more()
	c, zeros := bareFigures(third.text), withZeros(a, b)
	need := sureSecond
	if !surely && digits(b) >= digits(a) && !wideSymbol(a) {
		need = fairSecond
	}
	switch {
	case zeros != b && zeros == withZeros(a, c):
		return zeros, true
	case agree(a, c):
		return first, !unwritten.MatchString(a)
	case again.confidence >= need && third.confidence >= fairSecond && b == c && replaces(a, b) &&
		(!surely || len(a) == len(b)):
		return again.text, !unwritten.MatchString(b)
	}
	other := again.confidence >= sureSecond && !strings.Contains(a, b) && cutOff(a, b)
	return first, surely && len(a) != len(b) && !other // then something else was cut out with it
}

func digits(s string) (n int) {
	for _, r := range s {
		if unicode.IsDigit(r) {
			n++
		}
	}
	return n
}

// agree reports whether a second reading says what the first does. What stands beside it may have been read with it.
func agree(first, again string) bool {
	before, after, ok := strings.Cut(again, first)
	return ok && first != "" && !figure(before) && !figure(after)
}

// replaces reports whether a second reading may be what a first one was to say.
func replaces(first, again string) bool {
	switch {
	case strings.Replace(first, "9%", "%", 1) == again && !strings.HasSuffix(first, again): // % is read as 9%
		return true
	case wideSymbol(first) && !strings.ContainsAny(again, "€£¥$"):
		return false
	}
	return figure(again) && (digits(first) > 0) == (digits(again) > 0) &&
		strings.Contains(first, "@") == strings.Contains(again, "@") && !cutOff(first, again) && !cutOff(again, first)
}

// cutOff reports whether a reading lacks an end of another one and says the same otherwise, but for figures: what was
// cut out was too narrow.
func cutOff(whole, rest string) bool {
	a, b := []rune(whole), []rune(rest)
	if len(b) >= len(a) {
		return false
	}
	like := func(a []rune) bool {
		for i, r := range b {
			if r != a[i] && !(unicode.IsDigit(r) && unicode.IsDigit(a[i])) {
				return false
			}
		}
		return true
	}
	return like(a) || like(a[len(a)-len(b):])
}

// withZeros is a second reading with a zero wherever it says something else that is round and the first says a figure:
// that zero is slashed. They are equally long, else the reading stays.
func withZeros(first, again string) string {
	a, b := []rune(first), []rune(again)
	if len(a) != len(b) {
		return again
	}
	for i, r := range b {
		if unicode.IsDigit(a[i]) && strings.ContainsRune("@QO", r) {
			b[i] = '0'
		}
	}
	return string(b)
}

// oneSlash is an address whose second slash was lost. That is repaired later.
var oneSlash = regexp.MustCompile(`(https?:/)([a-z0-9])`)

// bareFigures is a text without what differs between two readings of one.
func bareFigures(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return -1
		case r == '\\':
			return '¥'
		}
		return r
	}, s)
	return oneSlash.ReplaceAllString(s, "$1/$2")
}

// figures reads the figures of lines again where that is worth it, and marks the lines in which they stay doubtful.
func (r *Recognizer) figures(img *image.Gray, lines []messages.Line, symbols [][]symbol) error {
	for i := range lines {
		if !figure(string(lines[i].Text)) {
			continue
		}
		if err := r.figuresOf(img, &lines[i], symbols[i], i == len(lines)-1); err != nil {
			return err
		}
	}
	return nil
}

func (r *Recognizer) figuresOf(img *image.Gray, line *messages.Line, symbols []symbol, last bool) error {
	text := string(line.Text)
	at, ok := spread(text, symbols)
	if !ok {
		return nil
	}
	parts := partsOf(symbols, last)
	worth := func(p part) bool { return worthSecond(symbols, p) }
	if !slices.ContainsFunc(parts, worth) {
		return nil
	}
	b := line.Box
	box := image.Rect(b.X-rimOfLine, b.Y-1, b.X+b.W+rimOfLine, b.Y+b.H+1)
	box = box.Intersect(image.Rectangle{Max: img.Rect.Size()})
	if !place(parts, symbols, inkIn(img, box), b.H) {
		line.Doubtful = slices.ContainsFunc(parts, func(p part) bool { return worth(p) && !surelyRead(symbols, p) })
		return nil
	}
	for i := len(parts) - 1; i >= 0; i-- { // from the end: the text before keeps its places
		p := parts[i]
		if !worth(p) {
			continue
		}
		from, to := at[p.from], at[p.to-1]+len(symbols[p.to-1].text)
		of := image.Rect(p.left, box.Min.Y, p.right, box.Max.Y)
		said, certain, err := r.settle(img, of, text[from:to], surelyRead(symbols, p))
		if err != nil {
			return err
		}
		line.Doubtful = line.Doubtful || !certain
		text = text[:from] + said + text[to:]
	}
	line.Text = messages.Text(text)
	return nil
}

// settle reads a part of a picture once or twice more.
func (r *Recognizer) settle(img *image.Gray, box image.Rectangle, first string, surely bool) (string, bool, error) {
	h, err := r.open(figuresIn)
	if err != nil {
		return "", false, err
	}
	cut := cutOut(img, box)
	again, err := r.second(h, cut)
	if err != nil {
		return "", false, err
	}
	text, certain := settled(first, surely, again, func() (more second) {
		if larger := enlarged(cut); larger != nil {
			more, err = r.second(h, larger)
		}
		return more
	})
	return text, certain, err
}

func (r *Recognizer) second(h handle, img *image.Gray) (second, error) {
	size := img.Rect.Size()
	lines, _, err := r.lib.read(h, img.Pix, size.X, size.Y, img.Stride, modeLine)
	if err != nil || len(lines) != 1 {
		return second{}, err
	}
	return second{string(lines[0].Text), lines[0].Confidence}, nil
}

// cutOut is a part of a picture with white around it. box counts from the picture's first pixel.
func cutOut(img *image.Gray, box image.Rectangle) *image.Gray {
	out := image.NewGray(image.Rect(0, 0, box.Dx()+2*whiteAside, box.Dy()+2*whiteAside))
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	to := image.Rectangle{Max: box.Size()}.Add(image.Pt(whiteAside, whiteAside))
	draw.Draw(out, to, img, box.Min.Add(img.Rect.Min), draw.Src)
	return out
}
