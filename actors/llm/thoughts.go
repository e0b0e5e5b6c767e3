package llm

import "strings"

// thoughts takes what a model thinks out of what it answers, where the server
// leaves it in the text: between tags, before the answer. Some chat templates write
// the first tag into the question, so the text has only the second one. Then
// everything before it was no answer, and the answer starts after it.
//
// The zero value is ready for one answer. It is not for concurrent use.
type thoughts struct {
	state thinking
	close string // the tag that ends the thought
	held  string // not decided yet
	tail  string // of an answer without a thought before it, which may turn out to be one
	more  bool   // there is text before the tail
	clear bool   // there was a thought: no more tags count
}

type thinking int

const (
	before thinking = iota // nothing but white space has come
	inside                 // a thought
	after                  // the answer
)

// tags are the beginnings and ends of thoughts in the templates of models: DeepSeek, Qwen
// and many others; Mistral; gpt-oss, whose channels most servers split themselves.
var tags = []struct{ open, close string }{
	{"<think>", "</think>"},
	{"<thinking>", "</thinking>"},
	{"[THINK]", "[/THINK]"},
	{"<|channel|>analysis<|message|>", "<|channel|>final<|message|>"},
	{"<|channel|>final<|message|>", ""}, // an answer without a thought
}

// lateTag ends a thought whose beginning is in the question. It stands on a line of its
// own.
const lateTag = "</think>"

// add takes the next piece and returns what belongs to the answer; anew reports that what
// was returned so far does not.
func (t *thoughts) add(piece string) (text string, anew bool) {
	t.held += piece
	for {
		switch t.state {
		case before:
			t.held = strings.TrimLeft(t.held, " \t\r\n")
			tag, maybe := openingTag(t.held)
			switch {
			case tag >= 0:
				t.held, t.close, t.state, t.clear = t.held[len(tags[tag].open):], tags[tag].close, inside, true
				if t.close == "" {
					t.state = before
				}
				continue
			case maybe:
				return text, anew
			}
			t.state = after
		case inside:
			_, rest, ended := strings.Cut(t.held, t.close)
			if !ended {
				t.held = t.held[max(0, len(t.held)-len(t.close)+1):]
				return text, anew
			}
			t.held, t.state = rest, before
		case after:
			piece, t.held = t.held, ""
			if t.clear {
				return text + piece, anew
			}
			said := t.tail + piece
			end := late(said, !t.more)
			if end < 0 {
				cut := max(0, len(said)-len(lateTag)-1)
				t.tail, t.more = said[cut:], t.more || cut > 0
				return text + piece, anew
			}
			t.held, t.tail, t.state, t.clear = said[end:], "", before, true
			text, anew = "", true
		}
	}
}

// end returns text that was held back and belongs to the answer after all.
func (t *thoughts) end() (text string) {
	if t.state == before {
		text, t.held = t.held, ""
	}
	return text
}

// openingTag is the index of the tag at the beginning of a text, or -1; maybe reports
// that the text may become one.
func openingTag(s string) (tag int, maybe bool) {
	for i, t := range tags {
		switch {
		case strings.HasPrefix(s, t.open):
			return i, false
		case strings.HasPrefix(t.open, s):
			maybe = true
		}
	}
	return -1, maybe
}

// late finds the end of a late tag, -1 if there is none. first says that s is the
// beginning of the text; otherwise a tag there was handled before.
func late(s string, first bool) int {
	for from := 0; ; {
		i := strings.Index(s[from:], lateTag)
		if i < 0 {
			return -1
		}
		start, end := from+i, from+i+len(lateTag)
		alone := start == 0 && first || start > 0 && s[start-1] == '\n'
		if alone && end < len(s) && (s[end] == '\n' || s[end] == '\r') {
			return end
		}
		from = end
	}
}

// answerOf is a whole text without its thoughts.
func answerOf(text string) string {
	var t thoughts
	out, _ := t.add(text)
	return out + t.end()
}
