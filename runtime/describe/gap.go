package describe

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// Gap is what a gap may hide.
func Gap(g messages.TranscriptGap) string {
	unseen, hides := "", "more than a screenful"
	if d := g.Unseen.Round(time.Second); d >= 10*time.Second {
		unseen = fmt.Sprintf(" in %v", d)
	}
	if n := cmp.Or(g.Screens, 1); n > 1 {
		hides = fmt.Sprintf("about %d screens, as many as this conversation usually fills in that time,", n)
	}
	s := fmt.Sprintf("%s went by unseen%s: of the messages in view then (%d) the newest were passed on (%d); "+
		"what came before may be missing", hides, unseen, g.Visible, g.Passed)
	if g.Why != "" {
		s += "; it was not read by scrolling back: " + CatchUp(g.Why)
	}
	return s
}

// CatchUp is why scrolling back stopped.
func CatchUp(why messages.CatchUpEnd) string {
	switch why {
	case messages.CatchUpReached:
		return "what was known was found"
	case messages.CatchUpPerson:
		return "somebody uses the mouse or the keyboard"
	case messages.CatchUpLimit:
		return "what was known was not found within rules.catch_up.screens"
	case messages.CatchUpTop:
		return "the window scrolls no further, and what was known was not found"
	case messages.CatchUpLost:
		return "two views had nothing in common"
	case messages.CatchUpLate:
		return "for too long somebody was there, or the window showed something else"
	case messages.CatchUpSlow:
		return "it takes longer than rules.catch_up.hold, and goes on"
	}
	return "the window could not be scrolled or read"
}
