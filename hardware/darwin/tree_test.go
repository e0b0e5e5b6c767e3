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
	count  int
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
func (l *leaf) rows() (int, error)   { return l.count, l.fail }
func (l *leaf) children() ([]node, error) {
	var out []node
	for _, c := range l.under {
		out = append(out, c)
	}
	return out, l.fail
}

func group(under ...*leaf) *leaf { return &leaf{kind: "AXGroup", under: under} }

func list(role string, width float64, rows int) *leaf {
	return &leaf{kind: role, box: rect{0, 0, width, 600}, count: rows}
}

func deep(levels int, l *leaf) *leaf {
	for range levels {
		l = group(l)
	}
	return l
}

func TestCountRows(t *testing.T) {
	broken := &leaf{fail: errors.New("gone")}
	forbidden := &leaf{fail: denied(Accessibility)}
	inner := list("AXTable", 400, 12)
	inner.under = []*leaf{list("AXList", 9000, 3)}
	for _, tt := range []struct {
		name string
		root *leaf
		want int
		err  error
	}{
		{"one table", group(list("AXTable", 300, 7)), 7, nil},
		{"the list of chats beside it", group(group(list("AXOutline", 200, 50)), group(group(list("AXList", 500, 8)))),
			8, nil},
		{"equal areas", group(list("AXList", 300, 1), list("AXList", 300, 2)), 2, nil},
		{"a list inside of a row", group(inner), 12, nil},
		{"no rows", group(list("AXTable", 300, 0)), 0, nil},
		{"no list", group(group(), group()), 0, hardware.ErrUnavailable},
		{"an element that went away", group(broken, list("AXTable", 300, 7)), 7, nil},
		{"the root went away", broken, 0, broken.fail},
		{"forbidden", group(forbidden, list("AXTable", 300, 7)), 0, hardware.ErrPermission},
		{"as deep as allowed", deep(maxDepth, list("AXTable", 300, 7)), 7, nil},
		{"too deep", deep(maxDepth+1, list("AXTable", 300, 7)), 0, hardware.ErrUnavailable},
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
