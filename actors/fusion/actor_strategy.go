package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Strategy finds what is new in a frame: [ByViews] or [ByText].
type Strategy interface {
	// needsProof says that a frame with text outside bubbles is withheld.
	needsProof() bool
	// take decides about a frame whose conversation is known.
	take(a *actor, turn *actors.Turn, m messages.FrameRead, view View, k known)
	// ends returns the last line that the cursor covers, -1 if it is not there.
	ends(same [][]bool, lines int) int
	// news returns the lines of a cut text that the reading before did not have.
	news(before []string, cut Cut) []string
}

// ByViews passes all bubbles on as a list, and the ledger decides which are new.
// Text decides only where bubbles have no place.
type ByViews struct{}

func (ByViews) needsProof() bool { return true }

func (ByViews) take(a *actor, turn *actors.Turn, m messages.FrameRead, view View, k known) {
	a.views(turn, m, view, k)
}

func (ByViews) ends(same [][]bool, lines int) int { return sequence(same, lines) }

// news returns everything after a sequence, even if it repeats a line.
func (ByViews) news(before []string, cut Cut) []string {
	if cut.Use == CursorFound {
		return cut.Kept
	}
	return Delta(before, cut.Kept, cut.Use == CursorNotFound)
}

// ByText lets text alone decide, by the rules of profile seed.
type ByText struct{}

func (ByText) needsProof() bool { return false }

func (ByText) take(a *actor, turn *actors.Turn, m messages.FrameRead, view View, k known) {
	if k.unlisted {
		a.unlisted(turn, m, view)
		return
	}
	a.ignored = View{}
	a.texts(turn, m, k.title, view)
}

// ends returns the last line that equals any of the cursor's.
func (ByText) ends(same [][]bool, lines int) int {
	for p := lines - 1; p >= 0; p-- {
		if slices.ContainsFunc(same, func(row []bool) bool { return row[p] }) {
			return p
		}
	}
	return -1
}

func (ByText) news(before []string, cut Cut) []string { return Delta(before, cut.Kept, false) }
