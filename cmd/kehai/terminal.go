package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/rivo/uniseg"
	"golang.org/x/term"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// terminal writes for a person. Foreign text, such as names, messages and errors, cannot
// control it: printf, lines and table clean it.
type terminal struct {
	io.Writer
	tty    bool // a person looks at it, not a file or a program
	colour bool // not with NO_COLOR
}

func newTerminal(out io.Writer) terminal {
	f, ok := out.(*os.File)
	tty := ok && term.IsTerminal(int(f.Fd()))
	return terminal{out, tty, tty && os.Getenv("NO_COLOR") == ""}
}

// to is the same terminal, written into b first.
func (t terminal) to(b *strings.Builder) terminal { return terminal{b, t.tty, t.colour} }

// printf is fmt.Fprintf that cleans its arguments.
func (t terminal) printf(format string, args ...any) error {
	safe := make([]any, len(args))
	for i, arg := range args {
		safe[i] = cleanArg(arg)
	}
	_, err := fmt.Fprintf(t.Writer, format, safe...)
	return err
}

// lines writes the first line of a text after one prefix, and the others after another.
func (t terminal) lines(first, others, text string) error {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			first = others
		}
		b.WriteString(first + clean(line) + "\n")
	}
	_, err := io.WriteString(t.Writer, b.String())
	return err
}

// painted is clean text that may contain colours.
type painted string

func (t terminal) paint(code, s string) painted {
	s = clean(s)
	if t.colour {
		s = "\x1b[" + code + "m" + s + "\x1b[0m"
	}
	return painted(s)
}

// hues are 256-colour codes that read well on light and dark backgrounds.
var hues = [...]int{33, 35, 37, 99, 130, 133, 166, 168, 172, 63}

func (t terminal) name(s string) painted {
	h := fnv.New32a()
	h.Write([]byte(s))
	return t.paint(fmt.Sprintf("1;38;5;%d", hues[h.Sum32()%uint32(len(hues))]), s)
}

func (t terminal) clock(at control.Stamp) painted { return t.paint("2", at.Local().Format("15:04:05")) }

// json writes one JSON value per line, which cannot control a terminal either.
func (t terminal) json() *json.Encoder { return json.NewEncoder(escaping{t.Writer}) }

// escaping writes JSON with \u escapes for the characters that clean replaces, so it
// decodes to the same. Each Write holds whole characters.
type escaping struct{ io.Writer }

func (e escaping) Write(raw []byte) (int, error) {
	if !bytes.ContainsFunc(raw, hidden) {
		return e.Writer.Write(raw)
	}
	var b bytes.Buffer
	for _, r := range string(raw) {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	if _, err := e.Writer.Write(b.Bytes()); err != nil {
		return 0, err
	}
	return len(raw), nil
}

// hidden are the characters that JSON lets through and a terminal must not see.
func hidden(r rune) bool { return r != '\n' && describe.Steers(r) }

// table aligns cells in columns, measured as a terminal draws them: most of Chinese and
// Japanese takes two places per character.
type table struct {
	right bool // cells are aligned at their ends
	rows  [][]string
}

// row adds a row.
func (t *table) row(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = clean(fmt.Sprint(c))
	}
	t.rows = append(t.rows, row)
}

func (t *table) write(out io.Writer) error {
	var widths []int
	for _, row := range t.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], uniseg.StringWidth(cell))
		}
	}
	var b strings.Builder
	for _, row := range t.rows {
		line := ""
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-uniseg.StringWidth(cell)+2)
			if t.right {
				line += space + cell
			} else {
				line += cell + space
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// cleanArg cleans everything but numbers and our own colours.
func cleanArg(arg any) any {
	switch v := arg.(type) {
	case painted:
		return string(v)
	case error, fmt.Stringer:
		return clean(fmt.Sprint(v))
	}
	if kind := reflect.ValueOf(arg).Kind(); kind >= reflect.Bool && kind <= reflect.Float64 {
		return arg
	}
	return clean(fmt.Sprint(arg))
}

// clean puts foreign text on one line, and keeps it from controlling the terminal or
// hiding in it. It replaces control characters, line separators, and format characters,
// for example those for the direction of writing. A joiner stays where it makes one
// picture of two emoji.
func clean(s string) string {
	if !strings.ContainsFunc(s, describe.Steers) {
		return strings.ToValidUTF8(s, "\ufffd")
	}
	var b strings.Builder
	for g := uniseg.NewGraphemes(strings.ReplaceAll(s, "\n", " ⏎ ")); g.Next(); {
		runes := g.Runes()
		for i, r := range runes {
			joins := r == '\u200d' && i > 0 && i+1 < len(runes) && unicode.In(runes[i+1], unicode.So, unicode.Sm)
			if describe.Steers(r) && !joins {
				r = '\ufffd'
			}
			b.WriteRune(r)
		}
	}
	return b.String()
}
