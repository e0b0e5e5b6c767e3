package main

import (
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// terminal shows messages to a person: in colour on a terminal, plain when the
// output goes elsewhere or NO_COLOR is set.
type terminal struct {
	out    io.Writer
	colour bool
}

func newTerminal(out io.Writer) terminal {
	f, ok := out.(*os.File)
	return terminal{out: out, colour: ok && term.IsTerminal(int(f.Fd())) && os.Getenv("NO_COLOR") == ""}
}

// hues are 256-colour codes that read well on light and dark grounds.
var hues = [...]int{33, 35, 37, 99, 130, 133, 166, 168, 172, 63}

func (t terminal) paint(code, s string) string {
	if !t.colour {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

func (t terminal) name(s string) string {
	h := fnv.New32a()
	h.Write([]byte(s))
	return t.paint(fmt.Sprintf("1;38;5;%d", hues[h.Sum32()%uint32(len(hues))]), s)
}

// message writes one message: when, who, and each part on a line of its own.
func (t terminal) message(v any) error {
	m, ok := v.(control.Message)
	if !ok {
		return fmt.Errorf("terminal: %T is no message", v)
	}
	who := clean(m.Sender)
	if where := clean(string(m.Conversation)); !strings.HasSuffix(where, ":"+who) {
		who += " in " + where
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n", t.paint("2", m.SeenAt.Local().Format("15:04:05")), t.name(who))
	for _, p := range m.Parts {
		text := p.Text
		if p.Kind != messages.KindText {
			text = strings.TrimSpace("[" + string(p.Kind) + "] " + text)
		}
		if p.Partial {
			text = "[part of a long message] " + text
		}
		if p.Edited != "" {
			text += "\n[now] " + p.Edited
		}
		if p.Unsent {
			text += "\n[unsent]"
		}
		for _, line := range strings.Split(text, "\n") {
			fmt.Fprintf(&b, "          %s\n", clean(line))
		}
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// change writes what became of a message: when, whose, what it said and says.
func (t terminal) change(v any) error {
	c, ok := v.(control.Change)
	if !ok {
		return fmt.Errorf("terminal: %T is no change", v)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s %s:\n", t.paint("2", c.SeenAt.Local().Format("15:04:05")), t.name(clean(c.Sender)), c.Kind)
	line := func(mark, text string) {
		for _, l := range strings.Split(text, "\n") {
			fmt.Fprintf(&b, "          %s %s\n", mark, clean(l))
		}
	}
	line(t.paint("2", "was"), c.Old)
	if c.Kind != messages.ChangeUnsent {
		line("now", c.New)
	}
	_, err := io.WriteString(t.out, b.String())
	return err
}

// clean keeps what others write from steering the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x20 || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
			return '\ufffd'
		}
		return r
	}, s)
}
