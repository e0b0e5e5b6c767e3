package recall

import (
	_ "embed" // the topics
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
)

//go:embed topics.en.txt
var topicsEnglish string

//go:embed topics.ja.txt
var topicsJapanese string

// topic is something that people live through and tell of.
type topic struct {
	name  string
	slots []slot
	lines []line
	asks  []ask
	held  bool
}

// slot is a value that differs from one time to the next.
type slot struct {
	name   string
	values []string
}

// line is one turn of an exchange.
type line struct {
	teller bool
	mark   string   // by which questions name it as evidence
	texts  []string // any of them
}

// ask is a question about a topic. Evidence are marks of lines: "a*" stands for the
// line of each time, "a!" for that of the last time.
type ask struct {
	kind     string
	evidence []string
	text     string
}

// book is what the topics of a language say.
type book struct {
	people        []string
	topics, small []topic
	whens         []string
}

// books are the topics by language.
func books(l text.Language) book {
	b := book{whens: strings.Split("yesterday|last weekend|two weeks ago|last month|a few days ago|last Tuesday", "|")}
	source := topicsEnglish
	if l == text.Japanese {
		b.whens, source = strings.Split("昨日|先週末|二週間前|先月|数日前|先週の火曜", "|"), topicsJapanese
	}
	for row := range strings.Lines(source) {
		b.read(strings.TrimSpace(row))
	}
	return b
}

// read takes one line of a file. The files are ours: what it cannot read is a bug.
func (b *book) read(row string) {
	now := func() *topic {
		if len(b.small) > 0 {
			return &b.small[len(b.small)-1]
		}
		return &b.topics[len(b.topics)-1]
	}
	switch name, rest, _ := strings.Cut(row, " "); {
	case row == "[small]":
		b.small = append(b.small, topic{})
	case strings.HasPrefix(row, "["):
		b.topics = append(b.topics, topic{name: strings.Trim(row, "[]"), held: len(b.topics)%2 == 1})
	case name == "people":
		b.people = strings.Split(strings.TrimPrefix(rest, "= "), " | ")
	case strings.HasPrefix(rest, "= "):
		now().slots = append(now().slots, slot{name, strings.Split(rest[2:], " | ")})
	case name[0] == '+' || name[0] == '-':
		now().lines = append(now().lines, line{name[0] == '+', name[1:], strings.Split(rest, " // ")})
	case name == "?":
		head, question, _ := strings.Cut(rest, " | ")
		kind, marks, _ := strings.Cut(head, " ")
		now().asks = append(now().asks, ask{kind, strings.Split(marks, ","), question})
	default:
		panic(fmt.Sprintf("recall: a topic has the line %q", row))
	}
}
