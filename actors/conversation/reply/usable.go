package reply

import (
	"encoding/json"
	"regexp"
	"strings"
	"unicode"

	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// Unusable is the reason for a fixed text in place of a model's text that is not a reply.
const Unusable = "unusable"

// TooMany is the reason for a fixed text in a conversation that has used up its questions
// to a model for this hour, llm.per_hour.
const TooMany = "too_many_questions"

// maxRead bounds how much of an answer is examined, in bytes: replies are shorter.
const maxRead = 64 << 10

// Usable returns a model's text in the form in which it may be sent: without the name of the
// one who speaks before it and quotation marks around it. ok is false if it is not a reply:
// nothing, a page, data for a program, or the prompt itself.
func Usable(answer, persona string, echoes func(string) bool) (written messages.Text, ok bool) {
	if len(answer) > maxRead {
		answer = strings.ToValidUTF8(answer[:maxRead], "")
	}
	final := stream.DefaultRule().Final(bare(answer, persona))
	if final == "" || isPage(answer) || isData(answer) || echoes(answer) {
		return "", false
	}
	return messages.Text(final), true
}

// Begun is what may be shown of a model's text that it is still writing: the beginning of
// what [Usable] makes of the whole, nothing while that is open.
func Begun(soFar, persona string) string {
	s, labelled := unlabelled(soFar, persona)
	first := strings.TrimLeftFunc(s, unicode.IsSpace)
	if first == "" || closing(first) != "" || odd.MatchString(first) || !labelled && mayLabel(s, persona) {
		return ""
	}
	return s
}

// odd are the beginnings of pages, data and blocks of code.
var odd = regexp.MustCompile("^(?:[<{`]|\\[\\s*(?:$|[\\s\"{\\[]))")

// speakers are what models call the one for whom they write, besides the persona.
var speakers = []string{"assistant", "ai", "reply", "response", "answer", "アシスタント", "返信", "返事", "返答", "回答"}

// unlabelled removes the name of the one who speaks, once.
func unlabelled(s, persona string) (rest string, labelled bool) {
	at := strings.IndexAny(s, ":：")
	if at < 0 || !isSpeaker(s[:at], persona) {
		return s, false
	}
	_, rest = cutFirst(s[at:])
	return strings.TrimLeft(rest, "* \t\n"), true
}

// isSpeaker reports whether a text is the name of the one who speaks, as models set it.
func isSpeaker(s, persona string) bool {
	s = strings.ToLower(strings.Trim(s, "*[]#【】 \t\n"))
	if s != "" && s == strings.ToLower(strings.TrimSpace(persona)) {
		return true
	}
	for _, name := range speakers {
		if s == name {
			return true
		}
	}
	return false
}

// mayLabel reports whether more of a text may make it begin with such a name.
func mayLabel(s, persona string) bool {
	s = strings.ToLower(strings.TrimLeft(s, "*[#【 \t\n"))
	for _, name := range append([]string{strings.ToLower(strings.TrimSpace(persona))}, speakers...) {
		if rest, ok := strings.CutPrefix(s, name); strings.HasPrefix(name, s) || ok &&
			strings.Trim(rest, "*]】 \t") == "" {
			return true
		}
	}
	return false
}

// bare removes the name of the one who speaks, and quotation marks that are around the whole
// text and nowhere in it.
func bare(answer, persona string) string {
	s, _ := unlabelled(answer, persona)
	s = strings.TrimSpace(s)
	end := closing(s)
	if inner, ok := strings.CutSuffix(s, end); ok && end != "" {
		_, inner = cutFirst(inner)
		if !strings.ContainsAny(inner, s[:len(s)-len(inner)-len(end)]+end) {
			return inner
		}
	}
	return s
}

// closing is the mark that ends a quotation with which a text begins, "" if it does not.
func closing(s string) string {
	first, _ := cutFirst(s)
	return map[string]string{"「": "」", "『": "』", "“": "”", "\"": "\"", "«": "»"}[first]
}

func cutFirst(s string) (first, rest string) {
	for i := range s {
		if i > 0 {
			return s[:i], s[i:]
		}
	}
	return s, ""
}

var (
	tag   = regexp.MustCompile(`(?is)^<(?:!doctype|html|/?[a-z][a-z0-9]*[^<>]*>.*</[a-z][a-z0-9]*>\s*$)`)
	fence = regexp.MustCompile("(?s)^```[a-z]*\\s*(.*?)\\s*(?:```)?$")
)

// unfenced is a text without the marks of a block of code around it.
func unfenced(answer string) string {
	s := strings.TrimSpace(answer)
	if m := fence.FindStringSubmatch(s); m != nil {
		return m[1]
	}
	return s
}

func isPage(answer string) bool { return tag.MatchString(unfenced(answer)) }

// isData reports whether a text is JSON, or begins as an object of it and was cut.
func isData(answer string) bool {
	s := unfenced(answer)
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return false
	}
	return json.Valid([]byte(s)) || strings.HasPrefix(strings.Join(strings.Fields(s[:min(len(s), 64)]), ""), `{"`)
}
