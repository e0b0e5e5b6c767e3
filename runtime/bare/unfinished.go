package bare

import (
	"fmt"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Unfinished says what was in progress when the time for draining was over, and which
// subscriptions are behind because they fail. Nothing is lost: the next start continues.
type Unfinished struct {
	Left   engine.Left
	Behind []string // names, sorted
}

func (u *Unfinished) Error() string {
	if u.Left.None() {
		return fmt.Sprintf("runtime: stopped while the subscriptions %q fail and are behind; the log and "+
			"`kehai subscriptions list` say why; they go on at the next start", u.Behind)
	}
	return fmt.Sprintf("runtime: stopped with work under way (%d messages, %d turns, %d calls, %d timers); "+
		"it goes on at the next start",
		u.Left.Mail, u.Left.Turns+u.Left.Writing, u.Left.Calls, u.Left.Timers)
}
