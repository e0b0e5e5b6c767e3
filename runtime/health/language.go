package health

import (
	"fmt"
	"slices"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// foreignBubbles is how many different bubbles of a window must be in no language that OCR knows until it is
// trouble: one or two may be badly drawn.
const foreignBubbles = 3

// languageHealth knows the bubbles of a window that are in no language that OCR knows, at most as many as
// make it trouble. The zero value has seen nothing.
type languageHealth []messages.PixelKey

// take notes a reading. changed reports that a language is missing or is no longer. It is over with a
// reading that has texts, and none in such a language.
func (l *languageHealth) take(m messages.FrameRead) (missing, changed bool) {
	before := len(*l) >= foreignBubbles
	texts, unknown := 0, 0
	for _, b := range m.Bubbles {
		switch {
		case b.Foreign:
			unknown++
			if len(*l) < foreignBubbles && !slices.Contains(*l, b.Key) {
				*l = append(*l, b.Key)
			}
		case b.Kind == messages.KindText && b.Text != "":
			texts++
		}
	}
	if unknown == 0 && texts > 0 {
		*l = nil
	}
	missing = len(*l) >= foreignBubbles
	return missing, missing != before
}

// noteLanguage keeps which windows show a language that OCR does not know, and writes a change to the log.
func (h *Monitor) noteLanguage(m events.FrameSeen) {
	window := m.Read.Window
	h.mu.Lock()
	seen := h.languages[window]
	missing, changed := seen.take(m.Read)
	h.languages[window] = seen
	h.mu.Unlock()
	if !changed {
		return
	}
	if !missing {
		h.Set("language "+string(window), "")
		h.log.Info().Str("window", string(window)).Msg("language_known_again")
		return
	}
	text := fmt.Sprintf("messages in window %s are written in no installed language, and pass as unreadable", window)
	if h.Languages != nil {
		text += ": " + h.Languages()
	}
	h.Set("language "+string(window), text)
	h.log.Warn().Str("window", string(window)).Str("hint", text).Msg("language_unknown")
}
