package darwin

import (
	"context"
	"errors"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// leaf is an element made of Go values.
type leaf struct {
	kind   string
	box    rect
	under  []*leaf
	fail   error // of everything
	looked *int
}

func (l *leaf) role() (string, error) {
	if l.looked != nil {
		*l.looked++
	}
	return l.kind, l.fail
}
func (l *leaf) frame() (rect, error) { return l.box, l.fail }
func (l *leaf) children() ([]node, error) {
	var out []node
	for _, c := range l.under {
		out = append(out, c)
	}
	return out, l.fail
}

func group(under ...*leaf) *leaf { return &leaf{kind: "AXGroup", under: under} }

// list stands at the left edge and has rows of the given role.
func list(role string, width float64, rows int) *leaf {
	return filled(role, rect{0, 0, width, 600}, "AXRow", rows)
}

func filled(role string, box rect, row string, rows int) *leaf {
	l := &leaf{kind: role, box: box}
	for range rows {
		l.under = append(l.under, &leaf{kind: row, box: rect{0, 0, 9, 9}})
	}
	return l
}

// writing is a text area below the lists.
func writing() *leaf { return &leaf{kind: "AXTextArea", box: rect{0, 620, 100, 40}} }

func deep(levels int, l *leaf) *leaf {
	for range levels {
		l = group(l)
	}
	return l
}

func TestCountRows(t *testing.T) {
	broken, silent := &leaf{fail: errors.New("gone")}, &leaf{fail: errSilent}
	forbidden := &leaf{fail: denied(Accessibility)}
	inner := list("AXTable", 400, 12)
	inner.under[0].under = []*leaf{list("AXList", 9000, 3)}
	kept := list("AXList", 300, 7)
	kept.under = append(kept.under, &leaf{kind: "AXRow"}, &leaf{kind: "AXColumn", box: rect{0, 0, 9, 9}})
	// LINE's main window: a rail, chats of 302 points, messages from 365 on.
	chats := filled("AXList", rect{62, 60, 302, 799}, "AXRow", 50)
	talk := filled("AXList", rect{365, 78, 835, 660}, "AXRow", 8)
	area := &leaf{kind: "AXTextArea", box: rect{377, 760, 700, 40}}
	search := &leaf{kind: "AXTextField", box: rect{70, 10, 280, 30}}
	scrolled := group(&leaf{kind: "AXScrollArea", box: rect{0, 100, 300, 500},
		under: []*leaf{filled("AXTable", rect{0, -4000, 300, 5000}, "AXRow", 70)}})
	away := group(&leaf{kind: "AXScrollArea", box: rect{0, 100, 300, 500},
		under: []*leaf{filled("AXTable", rect{0, 900, 300, 5000}, "AXRow", 70)}})
	for _, tt := range []struct {
		name string
		root *leaf
		want int
		err  error
	}{
		{"one table", group(list("AXTable", 300, 7), writing()), 7, nil},
		{"chats beside it", group(search, group(chats), group(group(talk), area)), 8, nil},
		{"chats alone, in the background", group(search, group(chats)), 0, hardware.ErrUnavailable},
		{"chats and the text area alone", group(group(chats), area), 0, hardware.ErrUnavailable},
		{"a search alone", group(list("AXList", 300, 7), &leaf{kind: "AXTextField", box: rect{0, 620, 100, 40}}), 0,
			hardware.ErrUnavailable},
		{"suggestions below the text area", group(list("AXList", 300, 7), writing(),
			filled("AXList", rect{0, 670, 900, 900}, "AXRow", 3)), 7, nil},
		{"equal areas", group(list("AXList", 300, 1), list("AXList", 300, 2), writing()), 2, nil},
		{"a list inside of a row", group(inner, writing()), 12, nil},
		{"no rows", group(list("AXTable", 300, 0), writing()), 0, nil},
		{"rows without area, and a column", group(kept, writing()), 7, nil},
		{"children that are no rows", group(filled("AXList", rect{0, 0, 300, 600}, "AXGroup", 4), writing()), 4, nil},
		{"a table that scrolls", group(scrolled, writing()), 70, nil},
		{"a table scrolled out of sight", group(away, writing()), 0, hardware.ErrUnavailable},
		{"no list", group(group(), writing()), 0, hardware.ErrUnavailable},
		{"an element that went away", group(broken, list("AXTable", 300, 7), writing()), 7, nil},
		{"the root went away", broken, 0, broken.fail},
		{"one that does not answer", group(silent, list("AXTable", 300, 7), writing()), 7, nil},
		{"two that do not", group(silent, list("AXTable", 300, 7), writing(), silent), 0, errSilent},
		{"forbidden", group(forbidden, list("AXTable", 300, 7), writing()), 0, hardware.ErrPermission},
		{"as deep as allowed", group(writing(), deep(maxDepth-1, list("AXTable", 300, 7))), 7, nil},
		{"too deep", group(writing(), deep(maxDepth, list("AXTable", 300, 7))), 0, hardware.ErrUnavailable},
	} {
		got, err := countRows(t.Context(), tt.root)
		if got != tt.want || !errors.Is(err, tt.err) {
			t.Errorf("%s: countRows() = %d, %v, want %d, %v", tt.name, got, err, tt.want, tt.err)
		}
	}
}

func TestCountRowsEnds(t *testing.T) {
	looked := 0
	loop := &leaf{kind: "AXGroup", looked: &looked}
	loop.under = []*leaf{loop, loop, loop}
	if _, err := countRows(t.Context(), loop); !errors.Is(err, hardware.ErrUnavailable) || looked > maxNodes {
		t.Errorf("countRows(loop) = %v after %d elements, want %v after at most %d", err, looked,
			hardware.ErrUnavailable, maxNodes)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := countRows(ctx, loop); !errors.Is(err, context.Canceled) {
		t.Errorf("countRows(cancelled) = %v, want %v", err, context.Canceled)
	}
}

// FuzzCountRows builds a tree from bytes: each adds a child to the element that
// it names.
func FuzzCountRows(f *testing.F) {
	f.Add([]byte{0, 1, 2, 200, 9, 0, 7})
	f.Fuzz(func(t *testing.T, shape []byte) {
		all := []*leaf{group()}
		all[0].under = []*leaf{writing()}
		lists := map[int]bool{}
		for i, b := range shape {
			child := group()
			if b%5 == 0 {
				child = list("AXList", float64(b), i)
				lists[i] = true
			}
			parent := all[int(b)%len(all)]
			parent.under = append(parent.under, child)
			all = append(all, child)
		}
		got, err := countRows(t.Context(), all[0])
		if err == nil && !lists[got] || err != nil && !errors.Is(err, hardware.ErrUnavailable) {
			t.Fatalf("countRows() = %d, %v, want the rows of one of %v or none", got, err, lists)
		}
	})
}
