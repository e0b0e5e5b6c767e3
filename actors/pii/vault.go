package pii

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Vault gives each value of one conversation a placeholder, and can restore it. It is a
// plain value: its owner seals and stores it. A Vault with only a key is empty. It must
// not be used while a method changes it.
//
// The digits of a placeholder are the start of a keyed hash of the kind and the folded
// value, so that a value has the same digits throughout a conversation, and different
// ones in any other. Values whose digits would be equal get more of them; another
// spelling of the same value gets a number: [氏名·7f3a-2].
type Vault struct {
	// Key is the conversation's key, at least 16 bytes. It is not stored with the
	// originals.
	Key []byte `json:"-"`
	// Labels are the words in the placeholders.
	Labels Labels `json:"-"`
	// Originals are the values by placeholder.
	Originals map[string]string `json:"originals"`
	// Names are those given to [Vault.Know], the newest last.
	Names []string `json:"names,omitempty"`
}

// String says how many values a vault has, but shows none of them.
func (v Vault) String() string { return fmt.Sprintf("vault of %d values", len(v.Originals)) }

// GoString is the same, for %#v.
func (v Vault) GoString() string { return v.String() }

// digits of a placeholder.
const (
	fewDigits  = 4
	mostDigest = 32
)

// digestSign stands between the label and the digits.
const digestSign = "·"

// Mask is like the function [Mask], but with placeholders, and also masks the names
// that the vault knows. Text that only looks like a placeholder is masked too, so
// that Restore(Mask(text).Text) always gives the text back.
func (v *Vault) Mask(text string) Masked {
	spans, err := Find(text)
	if err != nil {
		return withheld(text, v.Labels, err)
	}
	if spans, err = Add(text, spans, v.known(text)); err != nil {
		return withheld(text, v.Labels, errUneven)
	}
	return v.Replace(text, spans)
}

// Replace masks the given spans, as the function [Replace] does.
func (v *Vault) Replace(text string, spans []Span) Masked {
	if !apart(text, spans) {
		return withheld(text, v.Labels, errUneven)
	}
	spans = count(text, withLiterals(text, spans))
	return replace(text, spans, v.Labels, func(s Span) string { return v.placeholder(s.Kind, text[s.Start:s.End]) })
}

// withLiterals adds what looks like a placeholder. It absorbs overlapping spans.
func withLiterals(text string, spans []Span) []Span {
	var out []Span
	n := 0
	for i := 0; i < len(text); {
		start, end := nextPlaceholder(text, i)
		if start < 0 {
			break
		}
		for n < len(spans) && spans[n].End <= start {
			out = append(out, spans[n])
			n++
		}
		literal := Span{Kind: Literal, Rule: "like a placeholder", Start: start, End: end}
		for n < len(spans) && spans[n].Start < end {
			literal.Start, literal.End = min(literal.Start, spans[n].Start), max(literal.End, spans[n].End)
			n++
		}
		out = append(out, literal)
		i = literal.End
	}
	return append(out, spans[n:]...)
}

// placeholder returns the placeholder of a value; a new value gets a new one.
func (v *Vault) placeholder(k Kind, original string) string {
	if v.Originals == nil {
		v.Originals = map[string]string{}
	}
	digest := hex.EncodeToString(sum(v.Key, k, foldedValue(original)))
	for n := fewDigits; n <= mostDigest; n += 2 {
		for spelling := 1; ; spelling++ {
			p := "[" + v.Labels.word(k) + digestSign + digest[:n]
			if spelling > 1 {
				p += "-" + strconv.Itoa(spelling)
			}
			p += "]"
			held, taken := v.Originals[p]
			if !taken {
				v.Originals[p] = original
				return p
			}
			if held == original {
				return p
			}
			if foldedValue(held) != foldedValue(original) {
				break // another value with the same digits
			}
		}
	}
	return v.Labels.Label(Whole) // 128 equal bits do not happen; if they did, nothing is shown
}

// Restore puts the originals of this vault into a text. Unknown placeholders stay as they
// are. Full-width brackets and other middle dots count too, because models change them.
func (v Vault) Restore(text string) string {
	var b strings.Builder
	at := 0
	for {
		start, end := nextPlaceholder(text, at)
		if start < 0 {
			break
		}
		b.WriteString(text[at:start])
		if original, ok := v.Originals[plainPlaceholder(text[start:end])]; ok {
			b.WriteString(original)
		} else {
			b.WriteString(text[start:end])
		}
		at = end
	}
	b.WriteString(text[at:])
	return b.String()
}

// Unknown reports whether a text has a placeholder that this vault does not have. One that the
// other side wrote itself counts too: nobody can tell it from one that was made up.
func (v Vault) Unknown(text string) bool {
	for at := 0; ; {
		start, end := nextPlaceholder(text, at)
		if start < 0 {
			return false
		}
		if _, ok := v.Originals[plainPlaceholder(text[start:end])]; !ok {
			return true
		}
		at = end
	}
}

// Held returns how much of the start of a text can be restored while more may follow: the
// rest may be the start of a placeholder.
func Held(text string) int {
	const longest = 120 // bytes of a placeholder
	for i := len(text) - 1; i >= max(0, len(text)-longest); i-- {
		if !utf8.RuneStart(text[i]) {
			continue
		}
		switch r, _ := utf8.DecodeRuneInString(text[i:]); r {
		case ']', '］':
			return len(text)
		case '[', '［':
			return i
		}
	}
	return len(text)
}

// nextPlaceholder returns the place of the next thing that looks like a placeholder, -1
// if there is none.
func nextPlaceholder(text string, from int) (start, end int) {
	for i := from; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == '[' || r == '［' {
			if n := placeholderAt(text[i:]); n > 0 {
				return i, i + n
			}
		}
		i += size
	}
	return -1, -1
}

// labelsIn returns the labels in brackets in a text, with and without digits: what is
// masked already.
func labelsIn(text string) (list []Span) {
	for i := 0; i < len(text); i++ {
		if text[i] != '[' && (text[i] != "［"[0] || !strings.HasPrefix(text[i:], "［")) {
			continue
		}
		if n := bracketAt(text[i:], func(body string) bool {
			label, digest, ok := splitDigest(body)
			return isLabel(body) || ok && isLabel(label) && isDigest(digest)
		}); n > 0 {
			list = append(list, Span{Start: i, End: i + n})
			i += n - 1
		}
	}
	return list
}

// placeholderAt is the length of what looks like a placeholder at the start of a
// text, 0 if nothing does.
func placeholderAt(text string) int {
	return bracketAt(text, func(body string) bool {
		label, digest, ok := splitDigest(body)
		return ok && isLabel(label) && isDigest(digest)
	})
}

// placeholderLength is the longest placeholder, in runes.
const placeholderLength = 64

// bracketAt returns the length of the bracketed part at the start of a text if is accepts
// its body, else 0.
func bracketAt(text string, is func(body string) bool) int {
	body, runes := 0, 0
	for i, r := range text {
		switch {
		case i == 0:
			body = utf8.RuneLen(r)
			continue
		case r == ']' || r == '］':
			if is(text[body:i]) {
				return i + utf8.RuneLen(r)
			}
			return 0
		case r == '[' || r == '［' || r == '\n':
			return 0
		}
		if runes++; runes > placeholderLength {
			return 0
		}
	}
	return 0
}

// plainPlaceholder returns a placeholder as vaults write it.
func plainPlaceholder(p string) string {
	p = strings.TrimFunc(p, func(r rune) bool { return r == '[' || r == ']' || r == '［' || r == '］' })
	label, digest, _ := splitDigest(p)
	return "[" + label + digestSign + digest + "]"
}

// splitDigest splits a placeholder into its label and digits.
func splitDigest(s string) (label, digest string, ok bool) {
	i := strings.LastIndexFunc(s, middleDot)
	if i < 0 {
		return s, "", false
	}
	_, n := utf8.DecodeRuneInString(s[i:])
	return s[:i], s[i+n:], true
}

func middleDot(r rune) bool {
	return r == '·' || r == '・' || r == '･' || r == '‧' || r == '•' || r == '∙'
}

// isDigest reports whether a text is hexadecimal digits, possibly with the number of a
// spelling.
func isDigest(s string) bool {
	hexes, spelling, more := strings.Cut(s, "-")
	if len(hexes) < fewDigits || len(hexes) > mostDigest || more && spelling == "" {
		return false
	}
	for _, r := range hexes {
		if !(r >= '0' && r <= '9' || r >= 'a' && r <= 'f') {
			return false
		}
	}
	for _, r := range spelling {
		if r < '0' || r > '9' {
			return false
		}
	}
	return true
}

func isLabel(s string) bool {
	for _, language := range []Labels{Japanese, English} {
		for _, w := range language.words {
			if s == w {
				return true
			}
		}
	}
	return false
}

func sum(key []byte, k Kind, value string) []byte {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(k))
	m.Write([]byte{0})
	m.Write([]byte(value))
	return m.Sum(nil)
}

// foldedValue returns what all spellings of a value have in common: folded, in lower
// case, without spaces and hyphens.
func foldedValue(s string) string {
	if !utf8.ValidString(s) {
		return s
	}
	f := fold(s, nil)
	var b strings.Builder
	for i, r := range f.r {
		switch {
		case f.class[i] == space || f.class[i] == newline || r == '-':
		case r == 'ー' && f.numeral(i-1):
		default:
			b.WriteRune(lowered(r))
		}
	}
	return b.String()
}
