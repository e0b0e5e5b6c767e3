package messages

import (
	"fmt"
	"log/slog"
	"unicode/utf8"
)

// Text is what a person wrote or read: private. Every fmt verb but %p, String and
// LogValue show only its length, so that a message can be logged whole. JSON carries the
// text itself, for the store and for authorised readers. A log handler that writes
// structs as JSON would show it: give it fmt.Sprint of the message. Use string(t) to read
// it on purpose.
type Text string

// String returns the redacted form, for example "[5 runes]".
func (t Text) String() string {
	return fmt.Sprintf("[%d runes]", utf8.RuneCountInString(string(t)))
}

// Format writes the redacted form whatever the verb.
func (t Text) Format(f fmt.State, _ rune) { fmt.Fprint(f, t.String()) }

// LogValue is the redacted form.
func (t Text) LogValue() slog.Value { return slog.StringValue(t.String()) }
