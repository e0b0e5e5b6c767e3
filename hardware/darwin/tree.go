package darwin

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kehai-run/kehai/hardware"
)

// node is one element of an accessibility tree. Every method asks the other
// application and may fail.
type node interface {
	role() (string, error)
	frame() (rect, error)
	// rows counts the rows that the element reports, or else its children.
	rows() (int, error)
	children() ([]node, error)
}

// Bounds of a walk. A chat window has a few hundred elements above its list.
const (
	maxDepth = 16
	maxNodes = 3000
)

// isList reports whether a role is that of a list of rows.
func isList(role string) bool {
	switch role {
	case "AXTable", "AXList", "AXOutline", "AXGrid":
		return true
	}
	return false
}

// countRows counts the rows of the message list below root. That is the list with
// the largest area, since the list of chats beside it is narrower; of equal ones
// it is the last in breadth-first order. Lists inside lists belong to rows and are
// ignored. An element that fails is skipped, because trees change while they are
// read. Fatal errors end the walk.
func countRows(ctx context.Context, root node) (int, error) {
	type step struct {
		node  node
		depth int
	}
	var list node
	area := -1.0
	queue := []step{{root, 0}}
	for seen := 0; len(queue) > 0 && seen < maxNodes; seen++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		s := queue[0]
		queue = queue[1:]
		role, err := s.node.role()
		if fatal(err) || err != nil && s.depth == 0 {
			return 0, err
		}
		if err == nil && isList(role) {
			box, err := s.node.frame()
			if fatal(err) {
				return 0, err
			}
			if a := areaOf(box); a >= area {
				list, area = s.node, a
			}
			continue
		}
		if s.depth == maxDepth {
			continue
		}
		children, err := s.node.children()
		if fatal(err) || err != nil && s.depth == 0 {
			return 0, err
		}
		for _, c := range children {
			queue = append(queue, step{c, s.depth + 1})
		}
	}
	if list == nil {
		return 0, fmt.Errorf("darwin: the window shows no list to accessibility; go on without structure for it: %w",
			hardware.ErrUnavailable)
	}
	return list.rows()
}

// areaOf is 0 for an invalid box.
func areaOf(r rect) float64 {
	if a := r.W * r.H; r.W > 0 && r.H > 0 && !math.IsInf(a, 0) {
		return a
	}
	return 0
}

// fatal reports whether every other element would fail with the same error.
func fatal(err error) bool { return errors.Is(err, hardware.ErrPermission) }

// AXError codes.
const (
	axSuccess        = 0
	axInvalidElement = -25202
	axCannotComplete = -25204
	axUnsupported    = -25205
	axNoAction       = -25206
	axNotImplemented = -25208
	axDisabled       = -25211
	axNoValue        = -25212
)

// errAbsent means that an element has no such attribute, which is normal.
var errAbsent = errors.New("darwin: the element has no such attribute")

// axError turns a code into an error.
func axError(code int32) error {
	switch code {
	case axSuccess:
		return nil
	case axUnsupported, axNoValue, axNoAction, axNotImplemented:
		return errAbsent
	case axDisabled:
		return denied(Accessibility)
	case axInvalidElement:
		return fmt.Errorf("darwin: the element is gone: %w", hardware.ErrWindowGone)
	case axCannotComplete:
		return errors.New("darwin: the application does not answer accessibility; is it hanging?")
	}
	return fmt.Errorf("darwin: accessibility failed with AXError %d", code)
}

// candidate is a window as the accessibility tree knows it.
type candidate struct {
	title string
	frame rect
}

// matchWindow finds a window of the window server's list among an application's
// accessible windows, since the two share no id. It picks the one with the same
// frame, of several the one that also has the same title. Failing that, it picks
// the only one with the same title. -1 means that none is certain.
func matchWindow(want windowInfo, among []candidate) int {
	sameFrame, sameTitle := -1, -1
	frames, titles := 0, 0
	for i, c := range among {
		frame, title := near(c.frame, want.bounds), want.title != "" && c.title == want.title
		if frame && title {
			return i
		}
		if frame {
			sameFrame = i
			frames++
		}
		if title {
			sameTitle = i
			titles++
		}
	}
	switch {
	case frames == 1:
		return sameFrame
	case frames == 0 && titles == 1:
		return sameTitle
	}
	return -1
}

// near allows for rounding to whole points.
func near(a, b rect) bool {
	const slack = 1.5
	return math.Abs(a.X-b.X) <= slack && math.Abs(a.Y-b.Y) <= slack &&
		math.Abs(a.W-b.W) <= slack && math.Abs(a.H-b.H) <= slack
}
