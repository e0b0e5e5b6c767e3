// Package privacy masks texts for who is outside of the actors: the command line
// and hosts. [Lines] reads one text a line, a [Masker] keeps the values of a
// conversation apart; what is found, and how, is package actors/pii.
package privacy

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"github.com/kehai-run/kehai/actors/pii"
)

// Line is one masked text. Its JSON is an interface: fields may be added, and
// never change their meaning.
type Line struct {
	Number int    `json:"line"` // counted from 1
	Text   string `json:"text"` // masked, without the end of the line
	Spans  []Span `json:"spans"`
	// Error says why the whole text is masked, "" if it is not. It shows nothing of
	// the text.
	Error string `json:"error,omitempty"`
	// End is the end of the line as it was read: \n, \r\n, or nothing at the end.
	End string `json:"-"`
}

// Span is where the original of a line held private data. Start and End count its
// runes, half open.
type Span struct {
	Kind  pii.Kind `json:"kind"`
	Rule  pii.Rule `json:"rule"`
	Start int      `json:"start"`
	End   int      `json:"end"`
}

// Languages are the languages of labels.
var Languages = map[string]pii.Labels{"en": pii.English, "ja": pii.Japanese}

// Lines masks each line of a reader and hands it on. A line that cannot be
// searched, such as one that is not UTF-8 or longer than [pii.MaxBytes], is masked
// as a whole, and the others go on. The error is one of the reader or of each.
func Lines(in io.Reader, labels pii.Labels, each func(Line) error) error {
	buffered := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		text, end, long, err := readLine(buffered)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", n, err)
		}
		if text == "" && end == "" && !long {
			return nil
		}
		if failed := each(mask(n, text, end, labels)); failed != nil || err != nil {
			return failed
		}
	}
}

// readLine reads one line without its end. If a line is too long, it keeps just enough to be
// too long, and skips the rest.
func readLine(in *bufio.Reader) (text, end string, long bool, err error) {
	var line []byte
	for {
		piece, err := in.ReadSlice('\n')
		ended := err == nil
		if ended {
			piece, end = piece[:len(piece)-1], "\n"
		}
		if room := pii.MaxBytes + 1 - len(line); len(piece) > room {
			piece, long = piece[:room], true
		}
		line = append(line, piece...)
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if n := len(line); ended && !long && n > 0 && line[n-1] == '\r' {
			line, end = line[:n-1], "\r\n"
		}
		return string(line), end, long, err
	}
}

// Masked returns a text with labels of its language in the place of private data.
func Masked(s string) string {
	return pii.Mask(s, pii.LabelsFor(s)).Text
}

// Masker masks texts of conversations with placeholders such as [氏名·7f3a], which tell the
// values of a conversation apart. Those of another Masker differ. The zero value is ready;
// it is used by one goroutine at a time.
type Masker struct{ vaults map[string]*pii.Vault }

// Text masks what is private in a text of a conversation, and the names it was told of.
func (m *Masker) Text(conversation, s string) string { return m.vault(conversation, s).Mask(s).Text }

// Name masks all of a name, and from then on wherever it occurs in that conversation.
func (m *Masker) Name(conversation, name string) string {
	v := m.vault(conversation, name)
	v.Know(name)
	return v.MaskName(name).Text
}

func (m *Masker) vault(conversation, s string) *pii.Vault {
	v := m.vaults[conversation]
	if v == nil {
		if m.vaults == nil {
			m.vaults = map[string]*pii.Vault{}
		}
		v = &pii.Vault{Key: []byte(rand.Text())}
		m.vaults[conversation] = v
	}
	v.Labels = pii.LabelsFor(s)
	return v
}

func mask(n int, text, end string, labels pii.Labels) Line {
	got := pii.Mask(text, labels)
	line := Line{Number: n, Text: got.Text, Spans: make([]Span, 0, len(got.Spans)), End: end}
	for _, s := range got.Spans {
		line.Spans = append(line.Spans, Span{s.Kind, s.Rule, s.FirstRune, s.EndRune})
	}
	if got.Err != nil {
		line.Error = got.Err.Error()
	}
	return line
}
