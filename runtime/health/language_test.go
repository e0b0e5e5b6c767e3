package health_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/health"
)

// A language that OCR does not know is said once of a window, with what adds it, until only texts are read there.
func TestHealthTellsOfALanguage(t *testing.T) {
	var log bytes.Buffer
	h := health.NewMonitor(zerolog.New(&log))
	h.Languages = func() string { return "OCR reads jpn, eng" }
	unknown := func(key messages.PixelKey) messages.Bubble {
		return messages.Bubble{Kind: messages.KindUnreadable, Foreign: true, Key: key}
	}
	text := messages.Bubble{Kind: messages.KindText, Text: "himitsu", Key: 9}
	for i, step := range []struct {
		bubbles []messages.Bubble
		want    bool
	}{
		{[]messages.Bubble{unknown(1), unknown(1), unknown(1), text}, false}, // one, drawn three times
		{[]messages.Bubble{unknown(1), unknown(2)}, false},
		{[]messages.Bubble{text}, false}, // it was read here: what was counted is over
		{[]messages.Bubble{unknown(1), unknown(2), text}, false},
		{[]messages.Bubble{unknown(2), unknown(3), text}, true},
		{[]messages.Bubble{unknown(4), text}, true},
		{nil, true},
		{[]messages.Bubble{{Kind: messages.KindUnreadable}}, true}, // as an emoji is
		{[]messages.Bubble{text}, false},
	} {
		h.Note(events.FrameSeen{Read: messages.FrameRead{Window: "line@a", Bubbles: step.bubbles}})
		h.Note(events.FrameSeen{Read: messages.FrameRead{Window: "chat@a", Bubbles: []messages.Bubble{text}}})
		got := strings.Join(h.Problems(), "; ")
		said := strings.HasPrefix(got, "messages in window line@a are written in no installed language") &&
			strings.HasSuffix(got, ": OCR reads jpn, eng")
		if said != step.want || !said && got != "" {
			t.Errorf("step %d: Problems() = %q, want the language = %v", i, got, step.want)
		}
	}
	if n := strings.Count(log.String(), "language_unknown"); n != 1 || strings.Contains(log.String(), "himitsu") {
		t.Errorf("the log tells %d times, want once, and no text:\n%s", n, log.String())
	}
}
