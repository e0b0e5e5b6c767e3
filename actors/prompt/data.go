package prompt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors/text"
)

const (
	fence    = "<<<"
	dataWord = "DATA "
	endWord  = "END "
)

// Bounds of the data, in runes.
const (
	maxLine = 2000
	maxData = 24000 // the oldest lines are left out
	maxName = 80
)

type notes struct {
	Kind    string `json:"kind"`
	Now     string `json:"now,omitempty"`
	LeftOut int    `json:"left_out,omitempty"` // older lines that did not fit

	Summary       string `json:"summary,omitempty"`
	MostImportant string `json:"most_important,omitempty"`
}

// said is a message or a note that somebody wrote.
type said struct {
	Kind string `json:"kind"`
	N    int    `json:"n"`
	From string `json:"from,omitempty"`
	Name string `json:"name,omitempty"`
	At   string `json:"at,omitempty"`
	Text string `json:"text"`
}

// data returns the region, each line with its line break.
func (in Input) data() string {
	lines := in.Lines
	size := 0
	for i := len(lines) - 1; i >= 0; i-- {
		if size += min(utf8.RuneCountInString(string(lines[i].Text)), maxLine) + maxName; size > maxData {
			lines = lines[i+1:]
			break
		}
	}
	left := len(in.Lines) - len(lines)
	var b bytes.Buffer
	put := func(v any) {
		raw, err := json.Marshal(v) // escapes < > & and line breaks
		if err != nil {
			panic(err) // texts always can be
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	put(notes{Kind: "notes", Now: minute(in.Now), LeftOut: left,
		Summary:       text.Shorten(visible(string(in.Interview.Summary)), maxLine),
		MostImportant: text.Shorten(visible(string(in.Interview.MostImportant)), maxLine)})
	for i, l := range lines {
		s := said{Kind: "message", N: left + i + 1, From: "other", Name: oneLine(string(l.Name), maxName),
			At: minute(l.At), Text: text.Shorten(visible(string(l.Text)), maxLine)}
		switch {
		case l.Note:
			if s.Kind, s.From = "note", ""; l.Own {
				s.From = "you"
			}
		case l.Own:
			s.From = "you"
		}
		put(s)
	}
	sum := sha256.Sum256(b.Bytes())
	mark := hex.EncodeToString(sum[:8])
	return fence + dataWord + mark + "\n" + b.String() + fence + endWord + mark + "\n"
}

func minute(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format("2006-01-02T15:04Z07:00")
}

// breaks turns every form of line break into \n.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n")

// visible removes what a person does not see but a model reads: control characters except
// line breaks and tabs, direction marks, zero-width characters, tags and fillers. Joiners
// stay where they are part of a word or an emoji.
func visible(s string) string {
	s = strings.ToValidUTF8(breaks.Replace(s), "")
	if strings.IndexFunc(s, unseen) < 0 {
		return s
	}
	runes := []rune(s)
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range runes {
		joins := (r == 0x200C || r == 0x200D) && i > 0 && i+1 < len(runes)
		if !unseen(r) || joins && joinable(runes[i-1]) && joinable(runes[i+1]) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unseen(r rune) bool {
	switch {
	case r == '\n', r == '\t':
		return false
	case r >= 0xE0000 && r <= 0xE0FFF, r == 0x034F, r == 0x2800: // tags, and characters that look like none
		return true
	case r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0: // fillers of Hangul
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r)
}

// joinable reports whether a joiner can join a character: emoji and their modifiers, and
// letters of joining scripts.
func joinable(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2600 && r <= 0x27BF || r == 0xFE0F ||
		unicode.In(r, unicode.Arabic, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Malayalam,
			unicode.Sinhala, unicode.Kannada, unicode.Telugu, unicode.Gujarati, unicode.Gurmukhi, unicode.Mn,
			unicode.Mc)
}
