package atspi

import (
	"context"
	"errors"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

func TestBest(t *testing.T) {
	contacts := list{node: node{Path: "/contacts"}, role: roleList, area: 100, rows: 90}
	chat := list{node: node{Path: "/chat"}, role: roleList, area: 900, rows: 3}
	log := list{node: node{Path: "/log"}, role: roleLog, area: 50, rows: 2}
	inLog := list{node: node{Path: "/inlog"}, role: roleList, inLog: true, area: 1, rows: 1}
	for _, c := range []struct {
		lists []list
		want  list
	}{
		{[]list{contacts, chat}, chat},
		{[]list{chat, log, contacts}, log},
		{[]list{inLog, chat, log}, inLog},
		{[]list{{node: node{Path: "/a"}, rows: 1}, {node: node{Path: "/b"}, rows: 2}},
			list{node: node{Path: "/b"}, rows: 2}},
	} {
		if got := best(c.lists); got != c.want {
			t.Errorf("best(%v) = %v, want %v", c.lists, got.Path, c.want.Path)
		}
	}
}

func TestChoose(t *testing.T) {
	a, b := node{Path: "/a"}, node{Path: "/b"}
	titles := map[node]string{a: "Hanako and Ken - Chat", b: "Hanako"}
	for _, c := range []struct {
		windows []node
		want    target
		at      int
	}{
		{[]node{a, b}, target{pid: 1, title: "Hanako"}, 1},
		{[]node{a, b}, target{title: "Hana", part: true}, 0},
		{[]node{a, b}, target{pid: 1, title: "Hanako - Chat - Browser"}, 1},
		{[]node{a, b}, target{pid: 1, title: "Taro"}, -1},
		{[]node{a}, target{pid: 1, title: "Taro"}, 0},
		{[]node{a}, target{title: "Taro"}, -1},
		{[]node{a, b}, target{pid: 1}, -1},
	} {
		if got := choose(c.windows, titles, c.want); got != c.at {
			t.Errorf("choose(%v, %+v) = %d, want %d", c.windows, c.want, got, c.at)
		}
	}
}

func TestResolve(t *testing.T) {
	windows := func(context.Context) ([]hardware.Window, error) {
		return []hardware.Window{{Ref: "0x1", PID: 42, Title: "Hanako"}}, nil
	}
	tree := &Tree{opt: Options{Windows: windows}}
	for ref, want := range map[string]target{
		"0x1":      {pid: 42, title: "Hanako"},
		"pid:7":    {pid: 7},
		"title:Ha": {title: "Ha", part: true},
	} {
		if got, err := tree.resolve(t.Context(), ref); err != nil || got != want {
			t.Errorf("resolve(%q) = %+v, %v, want %+v", ref, got, err, want)
		}
	}
	for _, ref := range []string{"0x2", "pid:", "pid:-1", "pid:x", "title:"} {
		if got, err := tree.resolve(t.Context(), ref); !errors.Is(err, hardware.ErrWindowGone) {
			t.Errorf("resolve(%q) = %+v, %v, want %v", ref, got, err, hardware.ErrWindowGone)
		}
	}
	if _, err := (&Tree{}).resolve(t.Context(), "0x1"); !errors.Is(err, hardware.ErrWindowGone) ||
		!strings.Contains(err.Error(), "pid:NUMBER") {
		t.Errorf("resolve(0x1) without windows = %v, want %v and what is understood", err, hardware.ErrWindowGone)
	}
}

func TestNoBus(t *testing.T) {
	for _, opt := range []Options{{}, {MaxDepth: 1}, {MaxDepth: -1, MaxNodes: 1}} {
		if _, err := Open(opt); err == nil {
			t.Errorf("Open(%+v) = nil, want an error", opt)
		}
	}
	opt := DefaultOptions()
	opt.Address = "unix:path=" + filepath.Join(t.TempDir(), "absent")
	tree, err := Open(opt)
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	if _, err := tree.Rows(t.Context(), "pid:1"); !errors.Is(err, hardware.ErrUnavailable) ||
		!strings.Contains(err.Error(), "session bus") {
		t.Errorf("Rows() without a bus = %v, want %v and what is missing", err, hardware.ErrUnavailable)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tree.Rows(ctx, "pid:1"); !errors.Is(err, context.Canceled) {
		t.Errorf("Rows(cancelled) = %v, want %v", err, context.Canceled)
	}
	if err := tree.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if _, err := tree.Rows(t.Context(), "pid:1"); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Rows() after Close = %v, want %v", err, hardware.ErrUnavailable)
	}
}

// Whatever an application calls its windows and says of its lists: one of them is chosen, or none.
func FuzzReplies(f *testing.F) {
	f.Add("Hanako", "Hanako - Chat", "", int32(900), int32(-1), uint32(roleLog))
	f.Add("", "", "\xff", int32(math.MinInt32), int32(math.MaxInt32), uint32(0))
	f.Fuzz(func(t *testing.T, want, first, second string, w, h int32, role uint32) {
		a, b := node{Path: "/a"}, node{Path: "/b"}
		titles := map[node]string{a: first, b: second}
		for _, c := range []target{{title: want}, {title: want, part: true}, {pid: 1, title: want}, {pid: 1}} {
			switch i := choose([]node{a, b}, titles, c); {
			case i < -1 || i > 1:
				t.Errorf("choose(%q, %q, %+v) = %d", first, second, c, i)
			case i < 0 && want != "" && (first == want || second == want) && c.title != "":
				t.Errorf("choose(%q, %q, %+v) = none", first, second, c)
			}
			if choose(nil, nil, c) != -1 {
				t.Errorf("choose(nothing, %+v) is one", c)
			}
		}
		lists := []list{{node: a, role: role, area: int64(w) * int64(h), rows: int(w)},
			{node: b, role: roleList, area: int64(h), rows: int(h)}}
		got := best(lists)
		if got != lists[0] && got != lists[1] || role == roleLog && got != lists[0] {
			t.Errorf("best(%+v) = %+v", lists, got)
		}
	})
}
