package main

import (
	"io"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/describe"
)

// showEntry returns a function that prints the entries of a timeline: as JSON, one per
// line, or for people.
func (a *app) showEntry(asJSON bool) func(control.Entry) error {
	if !asJSON {
		return a.stdout.entry
	}
	out := a.stdout.json()
	return func(e control.Entry) error { return out.Encode(e) }
}

// textIndent is before what somebody wrote: as wide as the time.
const textIndent = "          "

// entry writes one entry: when and who, and below it what was said.
func (t terminal) entry(e control.Entry) error {
	var b strings.Builder
	p := t.to(&b)
	switch {
	case e.Message != nil:
		p.printf("%s  %s\n", p.clock(e.SeenAt), p.name(whose(e.Message.Sender, e)))
		for _, part := range e.Message.Parts {
			p.lines(textIndent, textIndent, partText(part))
		}
	case e.Change != nil:
		c := e.Change
		p.printf("%s  %s %s:\n", p.clock(e.SeenAt), p.name(whose(c.Sender, e)), c.Kind)
		if c.Kind != messages.ChangeMasked {
			p.lines(textIndent+string(p.paint("2", "was ")), textIndent+"    ", c.Old)
		}
		if c.Kind != messages.ChangeUnsent {
			p.lines(textIndent+"now ", textIndent+"    ", c.New)
		}
	case e.Gap != nil:
		p.printf("%s  %s\n", p.clock(e.SeenAt), p.paint("33", "gap in "+e.Where()))
		p.lines(textIndent, textIndent, e.Gap.What)
	case e.Reply != nil:
		p.printf("%s  %s\n", p.clock(e.SeenAt), p.paint("1", "Kehai in "+e.Where()))
		p.lines(textIndent, textIndent, e.Reply.Text)
		p.lines(textIndent, textIndent, replyNote(*e.Reply))
	}
	_, err := io.WriteString(t.Writer, b.String())
	return err
}

// whose is the sender, followed by the conversation if its name differs.
func whose(sender string, e control.Entry) string {
	where := e.Where()
	if strings.HasSuffix(where, ":"+sender) {
		return sender
	}
	return strings.TrimPrefix(sender+" in "+where, " ")
}

// partText is the text of a part, with its kind and its later changes.
func partText(p control.Part) string {
	text := p.Text
	if p.Kind != messages.KindText {
		text = strings.TrimSpace("[" + string(p.Kind) + "] " + text)
	}
	if p.Late {
		text = "[late] " + text
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
	return text
}

// replyNote says whether a reply was sent, and what it answers.
func replyNote(r control.Reply) string {
	note := "[sent"
	if r.State == control.ReplyUnknown {
		note = "[" + describe.Sending(messages.SendUnknown, r.Reason)
	}
	if len(r.Answers) > 0 {
		note += "; it answers"
		for _, id := range r.Answers {
			note += " " + string(id)
		}
	}
	switch {
	case r.ID != "":
		note += "; reply " + string(r.ID)
	case r.Key != "":
		note += "; sending " + r.Key
	}
	return note + "]"
}
