package pii

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// knownNames is how many names a vault remembers. The least recently used one is dropped
// first.
const knownNames = 64

// Know makes [Vault.Mask] mask a name wherever it occurs: the whole name in any case, and
// each of its words exactly as written. Words of one Latin letter are left alone.
func (v *Vault) Know(name string) {
	name = strings.TrimSpace(name)
	if name == "" || !utf8.ValidString(name) {
		return
	}
	if n := len(v.Names); n > 0 && v.Names[n-1] == name {
		return
	}
	names := slices.DeleteFunc(slices.Clone(v.Names), func(s string) bool { return s == name })
	names = append(names, name)
	v.Names = names[max(0, len(names)-knownNames):]
}

// MaskName masks a text known to be a name, whatever it looks like.
func (v *Vault) MaskName(name string) Masked {
	if name == "" {
		return Masked{}
	}
	if !utf8.ValidString(name) || len(name) > MaxBytes {
		return withheld(name, v.Labels, ErrNotText)
	}
	return v.Replace(name, []Span{{Kind: Name, Rule: "sender", End: len(name)}})
}

// MaskKnowing is like [Mask], and also masks names that are known, as [Vault.Know] takes
// them.
func MaskKnowing(text string, names []string, labels Labels) Masked {
	return MaskLines([]string{text}, names, labels)[0]
}

// MaskLines masks the parts of one text, each as a text of its own and as lines of the whole:
// a number that two of them share is masked in both.
func MaskLines(lines, names []string, labels Labels) []Masked {
	var v Vault
	for _, name := range names {
		v.Know(name)
	}
	whole := strings.Join(lines, "\n")
	all, whyNot := Find(whole)
	masked := make([]Masked, len(lines))
	end := -1
	for i, line := range lines {
		start := end + 1
		end = start + len(line)
		spans, err := Find(line)
		if err == nil {
			err = whyNot
		}
		claims := v.known(line)
		for _, s := range all {
			if from, to := max(s.Start, start), min(s.End, end); from < to && strings.TrimSpace(whole[from:to]) != "" {
				claims = append(claims, Claim{Kind: s.Kind, Quote: whole[from:to], Start: from - start})
			}
		}
		if err == nil {
			spans, err = Add(line, spans, claims)
		}
		if err != nil {
			masked[i] = withheld(line, labels, err)
			continue
		}
		masked[i] = Replace(line, spans, labels)
	}
	return masked
}

// known returns claims for the known names in a text.
func (v *Vault) known(text string) (list []Claim) {
	for _, name := range v.Names {
		list = append(list, claimsOf(text, name, true)...)
	}
	for _, name := range v.Names {
		words := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) })
		for _, w := range words {
			if w != name && (utf8.RuneCountInString(w) > 1 || !cased(w)) {
				list = append(list, claimsOf(text, w, false)...)
			}
		}
	}
	return list
}

// claimsOf returns the positions of a name. A name in letters with a case must be a whole
// word, so that Al is not found in "also".
func claimsOf(text, name string, anyCase bool) (list []Claim) {
	alone := cased(name)
	for at := range text {
		quote, ok := prefix(text[at:], name, anyCase)
		if !ok || alone && (wordEnds(text[:at]) || wordBegins(text[at+len(quote):])) {
			continue
		}
		list = append(list, Claim{Kind: Name, Quote: quote, Start: at})
	}
	return list
}

// prefix returns the name as it is written at the beginning of a text.
func prefix(text, name string, anyCase bool) (string, bool) {
	if !anyCase {
		return name, strings.HasPrefix(text, name)
	}
	end := 0
	for _, want := range name {
		r, size := utf8.DecodeRuneInString(text[end:])
		if size == 0 || r != want && unicode.ToLower(r) != unicode.ToLower(want) {
			return "", false
		}
		end += size
	}
	return text[:end], true
}

// cased reports whether a letter has a case.
func cased(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.IsUpper(r) || unicode.IsLower(r) }) >= 0
}

func wordEnds(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return casedOrDigit(r)
}

func wordBegins(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return casedOrDigit(r)
}

func casedOrDigit(r rune) bool {
	return unicode.IsUpper(r) || unicode.IsLower(r) || unicode.IsDigit(r)
}
