package fusion

import (
	"slices"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
)

// Strategy is how a fusion finds out what is new in a frame: [ByViews] or
// [ByText].
type Strategy interface {
	// needsProof says that a frame whose text stands in no bubble is withheld.
	needsProof() bool
	// take decides about a frame whose conversation is known.
	take(a *actor, turn *actors.Turn, m messages.FrameRead, view Last, k known)
	// ends returns the last line that the cursor covers, -1 if it is not there.
	ends(same [][]bool, lines int) int
	// news returns what of a cut text was not in the reading before.
	news(before []string, cut Cut) []string
}

// ByViews passes all bubbles on as a list, and leaves it to the ledger which are
// new. Text decides only where bubbles have no place.
type ByViews struct{}

func (ByViews) needsProof() bool { return true }

func (ByViews) take(a *actor, turn *actors.Turn, m messages.FrameRead, view Last, k known) {
	a.views(turn, m, view, k)
}

func (ByViews) ends(same [][]bool, lines int) int { return sequence(same, lines) }

// news is all that follows a sequence, also if it repeats a line.
func (ByViews) news(before []string, cut Cut) []string {
	if cut.Use == CursorFound {
		return cut.Kept
	}
	return Delta(before, cut.Kept, cut.Use == CursorNotFound)
}

// ByText lets text alone decide, by the rules of profile seed.
type ByText struct{}

func (ByText) needsProof() bool { return false }

func (ByText) take(a *actor, turn *actors.Turn, m messages.FrameRead, view Last, _ known) {
	if !a.o.Only.Allows(a.o.App, view.Name) {
		a.unlisted(turn, m, view)
		return
	}
	a.shut = Last{}
	a.texts(turn, m, view)
}

// ends is the last line that is the same as any of the cursor's.
func (ByText) ends(same [][]bool, lines int) int {
	for p := lines - 1; p >= 0; p-- {
		if slices.ContainsFunc(same, func(row []bool) bool { return row[p] }) {
			return p
		}
	}
	return -1
}

func (ByText) news(before []string, cut Cut) []string { return Delta(before, cut.Kept, false) }
