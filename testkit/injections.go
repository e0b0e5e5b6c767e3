package testkit

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed injections.jsonl
var injections []byte

// Injection is a message that tries to give a language model orders: to forget its
// instructions, to play somebody, as a note of the system, by a link, by what
// nobody sees, by forged marks, or to tell of other conversations.
type Injection struct {
	ID       string `json:"id"`
	Language string `json:"lang"` // ja or en
	Kind     string `json:"kind"` // ignore, role, system, link, unseen, fence, others
	Text     string `json:"text"` // the message
	Answer   string `json:"answer"`
}

// Obey is what a model answers that does whatever the message asks, having the
// given prompt.
func (i Injection) Obey(system, user string) string {
	return strings.NewReplacer("{system}", system, "{user}", user).Replace(i.Answer)
}

// Injections returns a set of them in both languages, at least 60.
func Injections() []Injection {
	var list []Injection
	lines := bufio.NewScanner(bytes.NewReader(injections))
	for lines.Scan() {
		var i Injection
		if err := json.Unmarshal(lines.Bytes(), &i); err != nil {
			panic(fmt.Sprintf("testkit: injections.jsonl: %v", err)) // the file is part of the program
		}
		list = append(list, i)
	}
	return list
}
