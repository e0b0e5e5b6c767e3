package fusion

import (
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// Cursor says how far the text of a window was passed on, by the last lines that
// the window showed then.
type Cursor struct {
	Conversation messages.ConversationID `json:"conversation"`
	Lines        []messages.Text         `json:"lines"` // empty means no cursor
}

// CursorOf makes the cursor of a text that is passed on whole.
func (r Rules) CursorOf(c messages.ConversationID, lines []string) Cursor {
	out := Cursor{Conversation: c}
	for _, line := range slices.Backward(lines) {
		if len(out.Lines) == r.CursorLines {
			break
		}
		if strings.TrimSpace(line) != "" {
			out.Lines = append(out.Lines, messages.Text(line))
		}
	}
	slices.Reverse(out.Lines)
	return out
}

// Cut is a text without what was passed on before.
type Cut struct {
	Kept      []string
	Discarded int // lines
	Use       CursorUse
}

// CursorUse says whether a cursor could be applied.
type CursorUse int

// Uses of a cursor. Nothing is cut off unless it was found.
const (
	_              CursorUse = iota // there is none
	CursorOther                     // it belongs to another conversation
	CursorNotFound                  // its lines have scrolled away
	CursorFound
)

// Cut removes everything up to the cursor. ends finds where the cursor ends: in
// profile default where its lines appear in order ([sequence]), in profile seed
// at the last line that equals any of its lines.
func (r Rules) Cut(c Cursor, conversation messages.ConversationID, lines []string,
	ends func(same [][]bool, lines int) int) Cut {
	switch {
	case len(c.Lines) == 0:
		return Cut{Kept: lines}
	case c.Conversation != conversation:
		return Cut{Kept: lines, Use: CursorOther}
	}
	at := ends(c.matches(r.Lines, lines), len(lines))
	if at < 0 {
		return Cut{Kept: lines, Use: CursorNotFound}
	}
	return Cut{Kept: lines[at+1:], Discarded: at + 1, Use: CursorFound}
}

// matches says for each line of the cursor which lines equal it.
func (c Cursor) matches(rules text.LineRules, lines []string) [][]bool {
	norm := make([]string, len(lines))
	for i, line := range lines {
		norm[i] = text.Normalize(line)
	}
	out := make([][]bool, len(c.Lines))
	for k, own := range c.Lines {
		own := text.Normalize(string(own))
		out[k] = make([]bool, len(lines))
		for p, line := range norm {
			out[k][p] = line != "" && rules.Equal(own, line)
		}
	}
	return out
}

// sequence aligns the cursor's lines with n lines, in order. It returns where the
// cursor ends, -1 if it is not there.
//
// A match scores 2. A line between two matches costs 1, and so does a line of the
// cursor without a match. If the first line matches, the cursor's lines above
// that match may have scrolled away and cost nothing. The best score wins. Among
// equal scores the lowest in the window wins, so that an unchanged text is cut
// off whole. More than half of the cursor's lines that can be visible must match.
func sequence(same [][]bool, n int) int {
	type path struct{ sum, matched, visible int }
	k := len(same)
	best := make([][]path, k)
	at, top := -1, path{}
	for i := range k {
		best[i] = make([]path, n)
		for p := range n {
			if !same[i][p] {
				continue
			}
			b := path{2 - i, 1, k}
			if p == 0 {
				b = path{2, 1, k - i}
			}
			for j := range i {
				for q := range p {
					from := best[j][q]
					sum := from.sum + 2 - (i - j - 1) - (p - q - 1)
					if same[j][q] && (sum > b.sum || sum == b.sum && from.matched >= b.matched) {
						b = path{sum, from.matched + 1, from.visible}
					}
				}
			}
			best[i][p] = b
			end := path{b.sum - (k - 1 - i), b.matched, b.visible}
			if 2*end.matched > end.visible && (at < 0 || end.sum > top.sum || end.sum == top.sum && p > at) {
				at, top = p, end
			}
		}
	}
	return at
}
