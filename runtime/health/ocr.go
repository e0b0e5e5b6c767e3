package health

import (
	"fmt"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// ocrFailures is how many calls in a row, of any OCR worker, must fail until it
// is trouble. The poller asks again within seconds.
const ocrFailures = 3

// ocrHealth knows whether text can be read. The zero value has seen nothing.
type ocrHealth struct {
	failures int // in a row
}

// take notes an event. changed reports that OCR has become trouble, in words, or
// works again, "". Only a frame with newly read text shows that it works: a frame
// with known bubbles alone needs no engine.
func (h *ocrHealth) take(m messages.Message) (trouble string, changed bool) {
	switch m := m.(type) {
	case events.CallFinished:
		reason := ocrReason(m)
		if reason == "" {
			return "", false
		}
		if h.failures++; h.failures < ocrFailures {
			return "", false
		}
		return fmt.Sprintf("no text can be read, so that messages are missed: %s; kehai doctor says what mends it",
			reason), true
	case events.FrameSeen:
		if m.Read.Read == 0 {
			return "", false
		}
		changed = h.failures >= ocrFailures
		h.failures = 0
	}
	return "", changed
}

// ocrReason names what fails, "" for what is no failure of OCR. The detail of the
// event stays out: local users without the page's token see these words.
func ocrReason(m events.CallFinished) string {
	if m.Worker.Kind() != messages.WorkerOCR {
		return ""
	}
	switch {
	case m.Code == messages.CodeEmptyFrame: // the picture had nothing in it
		return ""
	case m.Code == messages.CodePane:
		return "the pane of the layout lies outside of the window; correct pane in the layout's file"
	case m.Code == messages.CodeNoLanguage:
		return "OCR's language data is missing or damaged"
	case m.Code == messages.CodeUnavailable:
		return "the OCR engine cannot be started"
	case m.Code != "":
		return "OCR refuses every picture (" + m.Code + ")"
	}
	switch m.Failure {
	case messages.FailureError:
		return "OCR fails with an error each time"
	case messages.FailurePanic:
		return "OCR panics each time"
	case messages.FailureTimeout:
		return "OCR does not answer in time"
	}
	return ""
}

// noteOCR keeps what is wrong with OCR, and writes a change to the log.
func (h *Monitor) noteOCR(m messages.Message) {
	h.mu.Lock()
	before := h.trouble["ocr"]
	trouble, changed := h.ocr.take(m)
	switch {
	case !changed:
		trouble = before
	case trouble == "":
		delete(h.trouble, "ocr")
	default:
		h.trouble["ocr"] = trouble
	}
	h.mu.Unlock()
	switch {
	case trouble == before:
	case trouble == "":
		h.log.Info().Msg("ocr_works_again")
	default:
		h.log.Error().Str("reason", trouble).Msg("ocr_fails")
	}
}
