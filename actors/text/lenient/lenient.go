// Package lenient reads what language models write when asked for JSON. [Last] finds the
// object that counts among reasoning, code fences and other text, [ReplaceNaN] replaces
// numbers that JSON does not have, and [OneLine] fits a text into a line of a table.
package lenient

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text"
)

// maxAnswer is how much of an answer Last reads, in bytes from its end.
const maxAnswer = 8 << 10

// Last returns the fields of the last JSON object in a text that has a field of this
// name, wherever it stands; nil if there is none. NaN and infinities, which some
// programs write and JSON does not have, become strings. Only the last 8 KiB are read.
func Last(text, field string) map[string]json.RawMessage { return LastWithin(text, field, maxAnswer) }

// LastWithin is Last for longer answers: it reads the last so many bytes. The time it
// takes grows with their square.
func LastWithin(text, field string, bytes int) (last map[string]json.RawMessage) {
	s := text[max(0, len(text)-bytes):]
	for i := 0; i < len(s); i++ {
		if s[i] != '{' {
			continue
		}
		if fields, size := object(s[i:]); fields[field] != nil {
			last = fields
			i += size - 1
		}
	}
	return last
}

// object reads the JSON object at the beginning of s and returns its length in bytes.
// fields is nil if there is none.
func object(s string) (fields map[string]json.RawMessage, size int) {
	dec := json.NewDecoder(bytes.NewReader(ReplaceNaN([]byte(s), `""`)))
	if dec.Decode(&fields) != nil {
		return nil, 0
	}
	return fields, int(dec.InputOffset())
}

// ReplaceNaN returns JSON in which NaN and infinities, outside of strings, are replaced
// by another value, such as null, and by spaces up to the length of the word. It does
// not modify data.
func ReplaceNaN(data []byte, by string) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	var out []byte
	inText := false
	for i := 0; i < len(data); i++ {
		switch {
		case inText && data[i] == '\\' && i+1 < len(data):
			out = append(out, data[i])
			i++
		case data[i] == '"':
			inText = !inText
		case !inText:
			if n := notNumber(data[i:]); n > 0 {
				out = append(append(out, by...), bytes.Repeat([]byte(" "), max(0, n-len(by)))...)
				i += n - 1
				continue
			}
		}
		out = append(out, data[i])
	}
	return out
}

// notNumber returns the length of the NaN or infinity that data starts with, 0 for none.
func notNumber(data []byte) int {
	for _, w := range []string{"NaN", "-Infinity", "Infinity"} {
		if bytes.HasPrefix(data, []byte(w)) {
			return len(w)
		}
	}
	return 0
}

// OneLine folds a text into one line of at most so many runes.
func OneLine(s string, runes int) string {
	breaks := func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }
	return text.Shorten(strings.Join(strings.FieldsFunc(s, breaks), " "), runes)
}
