package describe

import (
	"fmt"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// Omitted says what a reading does not have.
func Omitted(o messages.Omitted) string {
	below := fmt.Sprintf(" below confidence %.2f", float64(o.Of)/100)
	switch o.What {
	case messages.OmittedBubbles:
		return fmt.Sprintf("%d bubbles above the lowest %d were not read", o.Count, o.Of)
	case messages.OmittedLines:
		return fmt.Sprintf("%d lines beyond the first %d of a bubble", o.Count, o.Of)
	case messages.OmittedCharacters:
		return fmt.Sprintf("%d characters beyond the first %d of a line", o.Count, o.Of)
	case messages.OmittedFrames:
		return fmt.Sprintf("%d frames beyond the first %d of a change were not read", o.Count, o.Of)
	case messages.DoubtfulName:
		return fmt.Sprintf("names%s: %d", below, o.Count)
	}
	if where, ok := doubtful[o.What]; ok {
		return fmt.Sprintf("lines%s %s: %d", below, where, o.Count)
	}
	if what, ok := others[o.What]; ok {
		return fmt.Sprintf("%s: %d", what, o.Count)
	}
	return fmt.Sprintf("%s: %d", o.What, o.Count)
}

var doubtful = map[messages.Omission]string{
	messages.DoubtfulInBubble: "in a bubble",
	messages.DoubtfulInTitle:  "in the title",
	messages.DoubtfulInName:   "in a name",
	messages.DoubtfulBeside:   "beside a bubble",
	messages.DoubtfulBetween:  "between bubbles",
	messages.DoubtfulInWindow: "in a window without bubbles",
}

var others = map[messages.Omission]string{
	messages.ForeignInBubble: "lines in a bubble in no installed language",
	messages.OtherBetween:    "lines between bubbles",
	messages.OtherOutside:    "lines outside the messages",
	messages.OtherMiddle:     "lines in the middle",
	messages.OtherToken:      "words of the application's own",
	messages.OtherTokenName:  "words of the application's own where a name may stand",
	messages.OtherClock:      "clock times beside a line",
	messages.OtherQuote:      "lines of quotes and previews inside bubbles",
}

// omitted describes a verdict about one. Old rows have the sentence.
func omitted(v events.Verdict) string {
	if d := v.Detail; d.Note == "" {
		return Omitted(messages.Omitted{What: messages.Omission(d.Code), Count: d.Count, Of: d.Of})
	}
	return v.Detail.Note
}
