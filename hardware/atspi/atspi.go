package atspi

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/godbus/dbus/v5"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/internal/bus"
)

// Options configure a tree. Start from [DefaultOptions].
type Options struct {
	// Windows resolves the refs of another driver, such as x11.Display. Without it
	// only "pid:1234" and "title:part of the title" are understood.
	Windows func(ctx context.Context) ([]hardware.Window, error)
	// Address is the session bus. Empty is $DBUS_SESSION_BUS_ADDRESS.
	Address string
	// Enable asks applications to offer a tree, as a screen reader does. That
	// stays on for the session.
	Enable bool
	// MaxDepth and MaxNodes bound the search in one window: levels, and nodes without
	// rows. Both are 1 at least.
	MaxDepth, MaxNodes int
}

// DefaultOptions use the session's own bus, understand refs that name a process or a
// title, and search 48 levels and 5,000 nodes.
func DefaultOptions() Options { return Options{MaxDepth: 48, MaxNodes: 5000} }

// Tree reads accessibility trees. It may be called concurrently.
type Tree struct {
	opt Options

	mu     sync.Mutex
	conn   *dbus.Conn // to the accessibility bus, nil until it is needed
	closed bool
}

// Open prepares a tree and connects to nothing yet.
func Open(opt Options) (*Tree, error) {
	if opt.MaxDepth < 1 || opt.MaxNodes < 1 {
		return nil, fmt.Errorf("atspi: limits of %d levels and %d nodes: give positive numbers, as DefaultOptions does",
			opt.MaxDepth, opt.MaxNodes)
	}
	return &Tree{opt: opt}, nil
}

// Close ends the connection.
func (t *Tree) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.conn != nil {
		_ = t.conn.Close()
		t.conn = nil
	}
	return nil
}

// Check reports whether the accessibility bus can be reached. If not, the error
// wraps hardware.ErrUnavailable.
func (t *Tree) Check(ctx context.Context) error {
	_, err := t.connect(ctx)
	return err
}

// Rows counts the rows of a window's message list. It wraps
// hardware.ErrWindowGone if there is no such window, and ErrUnavailable if there
// is no bus, the window has no tree, or the tree has no list.
func (t *Tree) Rows(ctx context.Context, ref string) (int, error) {
	rows, _, err := t.look(ctx, ref, false)
	return rows, err
}

// Chat implements [hardware.ChatNamer]. It returns the errors of Rows.
func (t *Tree) Chat(ctx context.Context, ref string) (rows int, names []string, err error) {
	return t.look(ctx, ref, true)
}

func (t *Tree) look(ctx context.Context, ref string, named bool) (int, []string, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	want, err := t.resolve(ctx, ref)
	if err != nil {
		return 0, nil, err
	}
	conn, err := t.connect(ctx)
	if err != nil {
		return 0, nil, err
	}
	rows, names, err := t.chat(ctx, conn, want, named)
	if ctx.Err() != nil && err != nil {
		return 0, nil, ctx.Err()
	}
	if err != nil && !conn.Connected() {
		t.drop(conn)
		return 0, nil, fmt.Errorf("atspi: the accessibility bus went away (the next call connects again): %w: %w", err,
			hardware.ErrUnavailable)
	}
	return rows, names, err
}

func (t *Tree) chat(ctx context.Context, conn *dbus.Conn, want target, named bool) (int, []string, error) {
	window, name, err := find(ctx, conn, want)
	if err != nil {
		return 0, nil, err
	}
	lists, err := t.lists(ctx, conn, window)
	if err != nil {
		return 0, nil, err
	}
	if len(lists) == 0 {
		return 0, nil, fmt.Errorf("atspi: the window has no list (a browser needs --force-renderer-accessibility; a "+
			"page that is loading has none yet): %w", hardware.ErrUnavailable)
	}
	chat := best(lists)
	if !named {
		return chat.rows, nil, nil
	}
	others := slices.DeleteFunc(lists, func(l list) bool { return l.inLog || l.node == chat.node })
	row, err := selected(ctx, conn, others)
	return chat.rows, []string{name, row}, err
}

// target says which window to find.
type target struct {
	pid   int    // 0 for any process
	title string // "" for the only window of the process
	part  bool   // title is a part of the title
}

// resolve turns a ref into what can be found in the tree.
func (t *Tree) resolve(ctx context.Context, ref string) (target, error) {
	if pid, ok := strings.CutPrefix(ref, "pid:"); ok {
		n, err := strconv.Atoi(pid)
		if err != nil || n <= 0 {
			return target{}, fmt.Errorf("atspi: ref %q has no process id: %w", ref, hardware.ErrWindowGone)
		}
		return target{pid: n}, nil
	}
	if title, ok := strings.CutPrefix(ref, "title:"); ok && title != "" {
		return target{title: title, part: true}, nil
	}
	if t.opt.Windows == nil {
		return target{}, fmt.Errorf("atspi: ref %q: only pid:NUMBER and title:TEXT are understood without a list "+
			"of windows: %w", ref, hardware.ErrWindowGone)
	}
	list, err := t.opt.Windows(ctx)
	if err != nil {
		return target{}, err
	}
	for _, w := range list {
		if w.Ref == ref {
			return target{pid: w.PID, title: w.Title}, nil
		}
	}
	return target{}, fmt.Errorf("atspi: window %s: %w", ref, hardware.ErrWindowGone)
}

// connect returns the connection to the accessibility bus.
func (t *Tree) connect(ctx context.Context) (*dbus.Conn, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return nil, fmt.Errorf("atspi: the tree is closed: %w", hardware.ErrUnavailable)
	}
	if t.conn != nil && t.conn.Connected() {
		return t.conn, nil
	}
	session, err := bus.Dial(ctx, t.opt.Address)
	if err != nil {
		return nil, noBus(ctx,
			"there is no session bus (start from inside the desktop session, or set DBUS_SESSION_BUS_ADDRESS)", err)
	}
	defer func() { _ = session.Close() }()
	status := session.Object("org.a11y.Bus", "/org/a11y/bus")
	var address string
	if err := status.CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return nil, noBus(ctx, "there is no accessibility bus (on Debian: apt-get install at-spi2-core)", err)
	}
	if t.opt.Enable {
		call := status.CallWithContext(ctx, "org.freedesktop.DBus.Properties.Set", 0, "org.a11y.Status", "IsEnabled",
			dbus.MakeVariant(true))
		if call.Err != nil {
			return nil, noBus(ctx, "accessibility cannot be switched on", call.Err)
		}
	}
	conn, err := bus.Dial(ctx, address)
	if err != nil {
		return nil, noBus(ctx, "the accessibility bus does not answer (start the session anew)", err)
	}
	t.conn = conn
	return conn, nil
}

func noBus(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("atspi: %s: %w: %w", what, err, hardware.ErrUnavailable)
}

func (t *Tree) drop(conn *dbus.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = conn.Close()
	if t.conn == conn {
		t.conn = nil
	}
}

var _ hardware.ChatNamer = (*Tree)(nil)
