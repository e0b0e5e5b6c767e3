package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"github.com/kehai-run/kehai/hardware"
)

// node is an accessible object: a connection on the bus and a path there.
type node struct {
	Bus  string
	Path dbus.ObjectPath
}

var root = node{"org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root"}

// Roles, from atspi-constants.h.
const (
	roleList      = 31
	roleTable     = 55
	roleTree      = 65
	roleTreeTable = 66
	roleListBox   = 98
	roleLog       = 111
)

func isList(role uint32) bool {
	switch role {
	case roleList, roleTable, roleTree, roleTreeTable, roleListBox, roleLog:
		return true
	}
	return false
}

// inFlight is how many calls are sent before the first answer is awaited.
const inFlight = 64

// each calls the same method on every node and passes on the answers in order. A
// node that is gone, or lacks the method, is skipped: trees change while they are
// read.
func each(ctx context.Context, conn *dbus.Conn, nodes []node, method string, args []any,
	take func(n node, answer *dbus.Call) error) error {
	for batch := range slices.Chunk(nodes, inFlight) {
		calls := make([]*dbus.Call, len(batch))
		for i, n := range batch {
			calls[i] = conn.Object(n.Bus, n.Path).GoWithContext(ctx, method, 0, make(chan *dbus.Call, 1), args...)
		}
		for i, call := range calls {
			select {
			case <-call.Done:
			case <-ctx.Done():
				return ctx.Err()
			}
			var refused dbus.Error
			if call.Err != nil && !errors.As(call.Err, &refused) {
				return call.Err
			}
			if call.Err != nil {
				continue
			}
			if err := take(batch[i], call); err != nil {
				return err
			}
		}
	}
	return nil
}

const (
	accessible = "org.a11y.atspi.Accessible"
	property   = "org.freedesktop.DBus.Properties.Get"
)

func children(ctx context.Context, conn *dbus.Conn, n node) (list []node, err error) {
	err = each(ctx, conn, []node{n}, accessible+".GetChildren", nil, func(_ node, a *dbus.Call) error {
		return a.Store(&list)
	})
	return list, err
}

// find looks for a window among the children of the applications, and tells its name.
func find(ctx context.Context, conn *dbus.Conn, want target) (node, string, error) {
	apps, err := children(ctx, conn, root)
	if err != nil {
		return node{}, "", err
	}
	if want.pid != 0 {
		if apps, err = ofProcess(ctx, conn, apps, want.pid); err != nil {
			return node{}, "", err
		}
	}
	if len(apps) == 0 {
		return node{}, "", fmt.Errorf("atspi: the application offers no accessibility tree "+
			"(start a browser or Electron application with ACCESSIBILITY_ENABLED=1 in its environment "+
			"and with --force-renderer-accessibility): %w", hardware.ErrUnavailable)
	}
	var windows []node
	err = each(ctx, conn, apps, accessible+".GetChildren", nil, func(_ node, a *dbus.Call) error {
		var list []node
		if err := a.Store(&list); err != nil {
			return err
		}
		windows = append(windows, list...)
		return nil
	})
	if err != nil {
		return node{}, "", err
	}
	titles, err := names(ctx, conn, windows)
	if err != nil {
		return node{}, "", err
	}
	if i := choose(windows, titles, want); i >= 0 {
		return windows[i], titles[windows[i]], nil
	}
	return node{}, "", fmt.Errorf("atspi: none of the application's %d windows has the wanted title: %w", len(windows),
		hardware.ErrWindowGone)
}

func names(ctx context.Context, conn *dbus.Conn, nodes []node) (map[node]string, error) {
	called := map[node]string{}
	err := each(ctx, conn, nodes, property, []any{accessible, "Name"}, func(n node, a *dbus.Call) error {
		var name string
		if err := a.Store(&name); err != nil {
			return err
		}
		called[n] = name
		return nil
	})
	return called, err
}

// choose picks the window with the title. Failing that, it picks one whose title
// contains it or is contained in it, or else the only window of the process.
func choose(windows []node, titles map[node]string, want target) int {
	if want.title != "" {
		if !want.part {
			if i := slices.IndexFunc(windows, func(n node) bool { return titles[n] == want.title }); i >= 0 {
				return i
			}
		}
		i := slices.IndexFunc(windows, func(n node) bool {
			name := titles[n]
			return strings.Contains(name, want.title) || !want.part && name != "" && strings.Contains(want.title, name)
		})
		if i >= 0 {
			return i
		}
	}
	if want.pid != 0 && len(windows) == 1 {
		return 0
	}
	return -1
}

// ofProcess keeps the applications of one process.
func ofProcess(ctx context.Context, conn *dbus.Conn, apps []node, pid int) ([]node, error) {
	var kept []node
	for _, app := range apps {
		var of uint32
		err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0,
			app.Bus).Store(&of)
		var refused dbus.Error
		switch {
		case errors.As(err, &refused):
		case err != nil:
			return nil, err
		case int(of) == pid:
			kept = append(kept, app)
		}
	}
	return kept, nil
}

// list is a list that was found in a window.
type list struct {
	node
	role  uint32
	inLog bool
	area  int64 // square pixels
	rows  int
}

// best is the message list: a list inside a log, else the log, else the largest.
func best(lists []list) list {
	rank := func(l list) int {
		switch {
		case l.inLog:
			return 2
		case l.role == roleLog:
			return 1
		}
		return 0
	}
	return slices.MaxFunc(lists, func(a, b list) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.area, b.area), cmp.Compare(a.rows, b.rows))
	})
}

// level is a node to look at and whether a log is above it.
type level struct {
	node
	inLog bool
}

// lists walks the window level by level. It does not enter the rows of a list.
func (t *Tree) lists(ctx context.Context, conn *dbus.Conn, window node) ([]list, error) {
	var found []list
	seen := map[node]bool{window: true}
	next := []level{{node: window}}
	for depth := 0; depth < t.opt.MaxDepth && len(next) > 0 && len(seen) <= t.opt.MaxNodes; depth++ {
		inLog := map[node]bool{}
		nodes := make([]node, len(next))
		for i, l := range next {
			nodes[i], inLog[l.node] = l.node, l.inLog
		}
		var open []node
		err := each(ctx, conn, nodes, accessible+".GetRole", nil, func(n node, a *dbus.Call) error {
			var role uint32
			if err := a.Store(&role); err != nil {
				return err
			}
			if isList(role) {
				found = append(found, list{node: n, role: role, inLog: inLog[n]})
			}
			if role == roleLog {
				inLog[n] = true
			}
			if !isList(role) || role == roleLog {
				open = append(open, n)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		next = next[:0]
		err = each(ctx, conn, open, accessible+".GetChildren", nil, func(n node, a *dbus.Call) error {
			var list []node
			if err := a.Store(&list); err != nil {
				return err
			}
			for _, c := range list {
				if !seen[c] && len(seen) <= t.opt.MaxNodes {
					seen[c] = true
					next = append(next, level{c, inLog[n]})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return t.measure(ctx, conn, found)
}

// measure asks the lists for their rows and their area.
func (t *Tree) measure(ctx context.Context, conn *dbus.Conn, found []list) ([]list, error) {
	nodes := make([]node, len(found))
	at := map[node]int{}
	for i, l := range found {
		nodes[i], at[l.node] = l.node, i
	}
	counted := map[node]bool{}
	err := each(ctx, conn, nodes, property, []any{accessible, "ChildCount"}, func(n node, a *dbus.Call) error {
		var rows int32
		if err := a.Store(&rows); err != nil {
			return err
		}
		found[at[n]].rows, counted[n] = int(rows), true
		return nil
	})
	if err != nil {
		return nil, err
	}
	const onScreen = uint32(0)
	err = each(ctx, conn, nodes, "org.a11y.atspi.Component.GetExtents", []any{onScreen},
		func(n node, a *dbus.Call) error {
			var box struct{ X, Y, W, H int32 }
			if err := a.Store(&box); err != nil {
				return err
			}
			found[at[n]].area = int64(box.W) * int64(box.H)
			return nil
		})
	return slices.DeleteFunc(found, func(l list) bool { return !counted[l.node] }), err
}

// rowsMost is how many rows of a list are asked whether they are selected.
const rowsMost = 500

// stateSelected is a state, from atspi-constants.h: a bit of the first word.
const stateSelected = 1 << 23

// selected is the name of the only selected row of these lists, "" if there is none.
func selected(ctx context.Context, conn *dbus.Conn, lists []list) (string, error) {
	var rows, chosen []node
	for _, l := range lists {
		kids, err := children(ctx, conn, l.node)
		if err != nil {
			return "", err
		}
		rows = append(rows, kids[:min(len(kids), rowsMost)]...)
	}
	err := each(ctx, conn, rows, accessible+".GetState", nil, func(n node, a *dbus.Call) error {
		var states []uint32
		if err := a.Store(&states); err != nil {
			return err
		}
		if len(states) > 0 && states[0]&stateSelected != 0 {
			chosen = append(chosen, n)
		}
		return nil
	})
	if err != nil || len(chosen) != 1 {
		return "", err
	}
	called, err := names(ctx, conn, chosen)
	return called[chosen[0]], err
}
