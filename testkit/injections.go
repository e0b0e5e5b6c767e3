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

// Injection is a message that tries to give orders to a language model: to forget its
// instructions, to play a role, as a system note, by a link, by invisible characters, by
// forged marks, or to reveal other conversations.
type Injection struct {
	ID       string `json:"id"`
	Language string `json:"lang"` // ja or en
	Kind     string `json:"kind"` // ignore, role, system, link, unseen, fence, others
	Text     string `json:"text"` // the message
	Answer   string `json:"answer"`
}

// Obey is the answer of a model that does whatever the message asks, given the prompt.
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
