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
	children() ([]node, error)
}

// Bounds of a walk. A chat window has a few hundred elements above its list.
const (
	maxDepth = 16
	maxNodes = 3000
)

// isList reports whether a role means a list of rows.
func isList(role string) bool {
	switch role {
	case "AXTable", "AXList", "AXOutline", "AXGrid":
		return true
	}
	return false
}

// placed is a list or an input field, and what is visible of it.
type placed struct {
	node node
	role string
	box  rect
}

// survey finds lists and input fields below root, breadth first. It does not look into
// lists: what is there belongs to rows. A list that scrolls is larger than the area through
// which it shows. An element that fails is skipped, because trees change while they are read.
func survey(ctx context.Context, root node) ([]placed, error) {
	type step struct {
		node  node
		depth int
		clip  rect
	}
	var found []placed
	var p silences
	everything := rect{-1e6, -1e6, 2e6, 2e6}
	queue := []step{{root, 0, everything}}
	for seen := 0; len(queue) > 0 && seen < maxNodes; seen++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		s := queue[0]
		queue = queue[1:]
		role, err := s.node.role()
		var box rect
		item := err == nil && (isList(role) || role == "AXTextArea" || role == "AXTextField")
		if item || err == nil && role == "AXScrollArea" {
			if box, err = s.node.frame(); err == nil {
				s.clip = s.clip.and(box)
			}
		}
		var children []node
		switch {
		case err != nil:
		case item:
			if areaOf(s.clip) > 0 {
				found = append(found, placed{s.node, role, s.clip})
			}
		case s.depth < maxDepth:
			children, err = s.node.children()
		}
		if p.over(err) || err != nil && s.depth == 0 {
			return nil, err
		}
		for _, c := range children {
			queue = append(queue, step{c, s.depth + 1, s.clip})
		}
	}
	return found, nil
}

// countRows counts the rows of the message list below root. That is the largest list above the
// middle of the text area in which the person writes; of equal ones the last. The list of chats
// stands beside it, and may be the only one that an application shows.
func countRows(ctx context.Context, root node) (int, error) {
	found, err := survey(ctx, root)
	if err != nil {
		return 0, err
	}
	var list node
	area := 0.0
	if input, ok := inputAmong(found); ok && input.role == "AXTextArea" {
		const slack = 2
		middle := input.box.X + input.box.W/2
		for _, l := range found {
			above := isList(l.role) && l.box.Y+l.box.H <= input.box.Y+slack &&
				l.box.X <= middle && middle <= l.box.X+l.box.W
			if above && areaOf(l.box) >= area {
				list, area = l.node, areaOf(l.box)
			}
		}
	}
	if list == nil {
		return 0, fmt.Errorf("darwin: the window shows no list above a text area to accessibility; some applications "+
			"do only in front; go on without structure for it: %w", hardware.ErrUnavailable)
	}
	return visibleRows(ctx, list)
}

// visibleRows counts the children of a list that are rows, or all where none is. Those without
// area are kept for later by some applications.
func visibleRows(ctx context.Context, list node) (int, error) {
	children, err := list.children()
	if err != nil {
		return 0, err
	}
	var p silences
	rows, all, hasRows := 0, 0, false
	for _, c := range children {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		role, err := c.role()
		if p.over(err) {
			return 0, err
		}
		box, err := c.frame()
		if p.over(err) {
			return 0, err
		}
		hasRows = hasRows || role == "AXRow"
		if areaOf(box) > 0 {
			all++
			if role == "AXRow" {
				rows++
			}
		}
	}
	if hasRows {
		return rows, nil
	}
	return all, nil
}

// inputAmong returns the text area, or else the text field, with the lowest lower edge; of equal
// ones the last. A search field is above the list of chats.
func inputAmong(found []placed) (input placed, ok bool) {
	for _, f := range found {
		if isList(f.role) {
			continue
		}
		area := f.role == "AXTextArea"
		lower := f.box.Y+f.box.H >= input.box.Y+input.box.H
		if !ok || area && input.role != f.role || f.role == input.role && lower {
			input, ok = f, true
		}
	}
	return input, ok
}

// and is what two boxes have in common.
func (r rect) and(o rect) rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	return rect{x, y, min(r.X+r.W, o.X+o.W) - x, min(r.Y+r.H, o.Y+o.H) - y}
}

// areaOf is 0 for an invalid box.
func areaOf(r rect) float64 {
	if a := r.W * r.H; r.W > 0 && r.H > 0 && !math.IsInf(a, 0) {
		return a
	}
	return 0
}

// silences counts how often an application did not answer within axTimeout.
type silences int

// over reports whether an error ends a walk: every other element would fail as well.
func (p *silences) over(err error) bool {
	if errors.Is(err, errSilent) {
		*p++
	}
	return err != nil && (*p >= 2 || errors.Is(err, hardware.ErrPermission))
}

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

var errSilent = errors.New("darwin: the application does not answer accessibility; is it hanging?")

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
		return errSilent
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
