package darwin

import (
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/kehai-run/kehai/hardware"
)

// stroke is one press and release of a key, or a piece of text that a key event
// carries.
type stroke struct {
	code  uint16 // virtual key code
	flags uint64 // modifiers
	units []uint16
}

// Virtual key codes of <HIToolbox/Events.h>. keyA is where A is on American and
// Japanese keyboards.
const (
	keyA         = 0
	keyCommand   = 55
	keyReturn    = 36
	keyTab       = 48
	keyBackspace = 51
	keyEscape    = 53

	flagShift   = 1 << 17
	flagCommand = 1 << 20
)

// maxUnits is the most text that one key event can carry, in UTF-16 units.
const maxUnits = 20

// plain returns text as a field can hold it. Lines end with \n, even if written \r\n or
// \r. A tab, which would leave the field, becomes a space; other control characters are
// dropped.
func plain(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\t", " ").Replace(text)
	return strings.Map(func(r rune) rune {
		if r != '\n' && unicode.IsControl(r) {
			return -1
		}
		return r
	}, text)
}

// strokes turns plain text into events. A line feed becomes Shift+Return. No character
// is split.
func strokes(text string) []stroke {
	var out []stroke
	var units []uint16
	flush := func() {
		if len(units) > 0 {
			out = append(out, stroke{units: units})
			units = nil
		}
	}
	for _, r := range plain(text) {
		if r == '\n' {
			flush()
			out = append(out, stroke{code: keyReturn, flags: flagShift})
			continue
		}
		if len(units)+utf16.RuneLen(r) > maxUnits {
			flush()
		}
		units = utf16.AppendRune(units, r)
	}
	flush()
	return out
}

// keyStroke returns the event of a key; false for an unknown key.
func keyStroke(key hardware.Key) (stroke, bool) {
	switch key {
	case hardware.KeyEnter:
		return stroke{code: keyReturn}, true
	case hardware.KeyTab:
		return stroke{code: keyTab}, true
	case hardware.KeyEscape:
		return stroke{code: keyEscape}, true
	case hardware.KeyBackspace:
		return stroke{code: keyBackspace}, true
	case hardware.KeySelectAll:
		return stroke{code: keyA, flags: flagCommand}, true
	}
	return stroke{}, false
}
