package reply

import (
	"strings"

	"github.com/kehai-run/kehai/actors/text/stream"
	"github.com/kehai-run/kehai/messages"
)

// Unusable is why a fixed text takes the place of what a model wrote that is no reply.
const Unusable = "unusable"

// TooMany is why a fixed text stands where the conversation has had its questions to a
// model for this hour, llm.per_hour.
const TooMany = "too_many_questions"

// maxRead bounds how much of an answer is looked at, in bytes: a reply is shorter.
const maxRead = 64 << 10

// Usable is what a model wrote as it may be sent. ok is false for what is no reply:
// nothing, a page of HTML, or the prompt itself.
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
