//go:build desktop && linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/godbus/dbus/v5"
	"github.com/godbus/dbus/v5/prop"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/hardware/internal/bus"
	"github.com/kehai-run/kehai/hardware/x11"
)

// page has a long list of contacts beside a larger list of messages; each click
// adds a message.
const page = `<!doctype html><meta charset="utf-8"><title>chat 25</title>
<body style="margin:0">
<ul id="contacts" style="position:absolute;left:0;width:120px;height:600px;overflow:auto"></ul>
<ul id="messages" style="position:absolute;left:140px;right:0;height:600px;overflow:auto"></ul>
<script>
const add = (list, text) => { const li = document.createElement("li");
  li.textContent = text; document.getElementById(list).append(li); };
for (let i = 0; i < 60; i++) add("contacts", "友だち" + i);
for (let i = 0; i < 25; i++) add("messages", "メッセージ" + i);
let n = 25;
document.addEventListener("mousedown", () => { add("messages", "new"); document.title = "chat " + ++n; });
</script>`

func TestRowsOfBrowser(t *testing.T) {
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	address := desk.StartBus(t)
	desk.StartBrowser(t, page)
	d, err := x11.Open(x11.Options{Display: desk.Display})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = d.Close() }()
	var w hardware.Window
	title := func(want string) func() bool {
		return func() bool {
			w, err = d.Find(t.Context(), "chromium")
			return err == nil && w.Title == want
		}
	}
	desktop.Eventually(t, "the page is open", title("chat 25"))
	tree, err := Open(at(address, d.Windows))
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = tree.Close() }()
	var rows int
	counts := func(ref string, want int) func() bool {
		return func() bool {
			rows, err = tree.Rows(t.Context(), ref)
			if err != nil && !errors.Is(err, hardware.ErrUnavailable) && !errors.Is(err, hardware.ErrWindowGone) {
				t.Fatalf("Rows(%s) = %v, want a typed error while the browser starts", ref, err)
			}
			return err == nil && rows == want
		}
	}
	desktop.Eventually(t, "the list has its 25 rows", counts(w.Ref, 25))
	c := desktop.Connect(t, desk.Display)
	for n := 26; n <= 28; n++ {
		c.Move(w.Box.Min.X+400, w.Box.Min.Y+300)
		c.Press(4, 1)
		desktop.Eventually(t, "the page has a new row", title(fmt.Sprintf("chat %d", n)))
		desktop.Eventually(t, "the list has a new row", counts(w.Ref, n))
	}
	desktop.Eventually(t, "the process is found", counts(fmt.Sprintf("pid:%d", w.PID), 28))
	desktop.Eventually(t, "the title is found", counts("title:chat", 28))
	if _, err := tree.Rows(t.Context(), "title:absent"); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Rows(title:absent) = %v, want %v", err, hardware.ErrWindowGone)
	}
	if _, err := tree.Rows(t.Context(), fmt.Sprintf("pid:%d", os.Getpid())); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Rows(a process without a tree) = %v, want %v", err, hardware.ErrUnavailable)
	}
}

// made is an application that the test makes up. Its tree may be deep, wide or
// a circle.
type made struct {
	t    *testing.T
	conn *dbus.Conn

	chosen map[string]bool // the paths of selected rows
}

func (m made) node(path string) node { return node{m.conn.Names()[0], dbus.ObjectPath(path)} }

// object puts an object on the bus.
func (m made) object(path string, role uint32, name string, rows int, area int32, kids ...string) {
	m.t.Helper()
	p := dbus.ObjectPath(path)
	list := []node{}
	for _, k := range kids {
		list = append(list, m.node(k))
	}
	err := m.conn.ExportMethodTable(map[string]any{
		"GetState": func() ([]uint32, *dbus.Error) {
			return map[bool][]uint32{false: {0, 0}, true: {stateSelected, 0}}[m.chosen[path]], nil
		},
		"GetRole":     func() (uint32, *dbus.Error) { return role, nil },
		"GetChildren": func() ([]node, *dbus.Error) { return list, nil },
	}, p, accessible)
	if err == nil {
		err = m.conn.ExportMethodTable(map[string]any{
			"GetExtents": func(uint32) (struct{ X, Y, W, H int32 }, *dbus.Error) {
				return struct{ X, Y, W, H int32 }{W: area, H: 1}, nil
			},
		}, p, "org.a11y.atspi.Component")
	}
	if err == nil {
		_, err = prop.Export(m.conn, p, prop.Map{accessible: {
			"Name":       {Value: name},
			"ChildCount": {Value: int32(rows)},
		}})
	}
	if err != nil {
		m.t.Fatalf("export %s: %v", path, err)
	}
}

func TestRowsOfMadeUpTree(t *testing.T) {
	desk := desktop.Start(t)
	address := desk.StartBus(t)
	tree, err := Open(Options{Address: address, MaxDepth: 12, MaxNodes: 100, Enable: true})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = tree.Close() }()
	desktop.Eventually(t, "the accessibility bus answers", func() bool {
		_, err := tree.Rows(t.Context(), "pid:1")
		return err != nil && strings.Contains(err.Error(), "no accessibility tree")
	})
	session, err := bus.Dial(t.Context(), address)
	if err != nil {
		t.Fatalf("Dial() = %v", err)
	}
	defer func() { _ = session.Close() }()
	var found string
	if err := session.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress",
		0).Store(&found); err != nil {
		t.Fatalf("GetAddress() = %v", err)
	}
	conn, err := bus.Dial(t.Context(), found)
	if err != nil {
		t.Fatalf("Dial() = %v", err)
	}
	defer func() { _ = conn.Close() }()
	m := made{t, conn, map[string]bool{"/chosen": true}}

	const frame, panel = 23, 39
	m.object("/app", 75, "made", 0, 0, "/w/plain", "/w/circle", "/w/deep", "/w/wide")
	m.object("/w/plain", frame, "plain", 0, 0, "/small", "/large", "/gone")
	m.object("/small", roleList, "", 99, 10, "/row", "/gone", "/chosen")
	const item = 32
	m.object("/row", item, "Ken hello", 0, 0)
	m.object("/chosen", item, "Hana see you", 0, 0)
	m.object("/large", roleTable, "", 7, 20)
	m.object("/w/circle", frame, "circle", 0, 0, "/round")
	m.object("/round", panel, "", 0, 0, "/w/circle", "/round", "/log")
	m.object("/log", roleLog, "", 1, 5, "/inlog", "/round")
	m.object("/inlog", roleList, "", 4, 1)
	m.object("/w/deep", frame, "deep", 0, 0, "/d/0")
	for i := range 20 {
		m.object(fmt.Sprintf("/d/%d", i), panel, "", 0, 0, fmt.Sprintf("/d/%d", i+1))
	}
	m.object("/d/20", roleList, "", 3, 1)
	wide := []string{}
	for i := range 200 {
		wide = append(wide, fmt.Sprintf("/x/%d", i))
	}
	m.object("/w/wide", frame, "wide", 0, 0, append(wide, "/large")...)

	var plug node
	if err := conn.Object(root.Bus, root.Path).Call("org.a11y.atspi.Socket.Embed", 0,
		m.node("/app")).Store(&plug); err != nil {
		t.Fatalf("Embed() = %v", err)
	}
	for title, want := range map[string]int{"title:plain": 7, "title:circle": 4} {
		if got, err := tree.Rows(t.Context(), title); err != nil || got != want {
			t.Errorf("Rows(%s) = %d, %v, want %d", title, got, err, want)
		}
	}
	for title, want := range map[string][]string{
		"title:plain": {"plain", "Hana see you"}, "title:circle": {"circle", ""},
	} {
		if _, names, err := tree.Chat(t.Context(), title); err != nil || !slices.Equal(names, want) {
			t.Errorf("Chat(%s) = %q, %v, want %q", title, names, err, want)
		}
	}
	for _, title := range []string{"title:deep", "title:wide"} {
		if got, err := tree.Rows(t.Context(), title); !errors.Is(err, hardware.ErrUnavailable) {
			t.Errorf("Rows(%s) beyond the limits = %d, %v, want %v", title, got, err, hardware.ErrUnavailable)
		}
	}
	pid := fmt.Sprintf("pid:%d", os.Getpid())
	if got, err := tree.Rows(t.Context(), pid); !errors.Is(err, hardware.ErrWindowGone) {
		t.Errorf("Rows(%s) of a process with four windows = %d, %v, want %v", pid, got, err, hardware.ErrWindowGone)
	}
}

func BenchmarkRows(b *testing.B) {
	desk := desktop.Start(b)
	desk.StartWindowManager(b)
	address := desk.StartBus(b)
	desk.StartBrowser(b, page)
	tree, err := Open(at(address, nil))
	if err != nil {
		b.Fatalf("Open() = %v", err)
	}
	defer func() { _ = tree.Close() }()
	desktop.Eventually(b, "the list has its rows", func() bool {
		n, err := tree.Rows(b.Context(), "title:chat")
		return err == nil && n == 25
	})
	for b.Loop() {
		if _, err := tree.Rows(b.Context(), "title:chat"); err != nil {
			b.Fatalf("Rows() = %v", err)
		}
	}
}

// at are options for a bus of a test.
func at(address string, windows func(context.Context) ([]hardware.Window, error)) Options {
	o := DefaultOptions()
	o.Address, o.Windows = address, windows
	return o
}
