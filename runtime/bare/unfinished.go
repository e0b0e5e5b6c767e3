package bare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Unfinished says what was in progress when the time for draining was over, and which
// subscriptions are behind because they fail or their handlers do not return. Nothing is
// lost: the next start continues.
type Unfinished struct {
	Left    engine.Left
	Blocked []messages.Address // actors whose turns have not ended, sorted; a key may be a person's name
	Behind  []string           // names, sorted
	why     string             // what says why they are behind, beside the log
}

func (u *Unfinished) Error() string {
	var said []string
	if !u.Left.None() {
		said = append(said, fmt.Sprintf("with work under way (%d messages, %d turns, %d calls, %d timers)",
			u.Left.Mail, u.Left.Turns+u.Left.Writing, u.Left.Calls, u.Left.Timers))
	}
	for _, a := range u.Blocked {
		said = append(said, fmt.Sprintf("while an actor of kind %s blocks", a.Kind()))
	}
	why := ""
	if len(u.Behind) > 0 {
		said = append(said, fmt.Sprintf("while the subscriptions %q fail and are behind", u.Behind))
		why = "; the log and " + cmp.Or(u.why, "`kehai subscriptions list`") + " say why"
	}
	return "runtime: stopped " + strings.Join(said, ", ") + why + "; it goes on at the next start"
}
