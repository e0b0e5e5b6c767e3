package reply

import (
	"strings"

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

// Usable returns a model's text in the form in which it may be sent. ok is false if it is
// not a reply: nothing, an HTML page, or the prompt itself.
func Usable(answer string, echoes func(string) bool) (written messages.Text, ok bool) {
	if len(answer) > maxRead {
		answer = strings.ToValidUTF8(answer[:maxRead], "")
	}
	final := stream.DefaultRule().Final(answer)
	switch lower := strings.ToLower(final); {
	case final == "", strings.HasPrefix(lower, "<!doctype"), strings.HasPrefix(lower, "<html"), echoes(answer):
		return "", false
	}
	return messages.Text(final), true
}
