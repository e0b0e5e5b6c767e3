//go:build desktop && linux

package atspi

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/hardware/x11"
	"github.com/kehai-run/kehai/messages"
)

func TestStructureConforms(t *testing.T) {
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	address := desk.StartBus(t)
	desk.StartBrowser(t, page)
	d, err := x11.Open(x11.Options{Display: desk.Display})
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = d.Close() }()
	c := desktop.Connect(t, desk.Display)
	// One browser for all: what it shows grows.
	rows := 25
	hardwaretest.Structure(t, func(t *testing.T) hardwaretest.StructureFixture {
		tree, err := Open(at(address, d.Windows))
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		t.Cleanup(func() { _ = tree.Close() })
		var w hardware.Window
		count := func() bool {
			if w, err = d.Find(t.Context(), "chromium"); err != nil {
				return false
			}
			n, err := tree.Rows(t.Context(), w.Ref)
			return err == nil && n == rows
		}
		desktop.Eventually(t, "the list has its rows", count)
		return hardwaretest.StructureFixture{
			Structure: tree, Ref: w.Ref, Rows: rows, Gone: "0x77777777",
			Secrets: []string{"メッセージ", "友だち", fmt.Sprintf("chat %d", rows)},
			Close:   tree.Close,
			Add: func() {
				c.Move(w.Box.Min.X+400, w.Box.Min.Y+300)
				c.Press(4, 1)
				rows++
				desktop.Eventually(t, "the list has a new row", count)
			},
		}
	})
}

// The bus goes away with everything on it, and another session's comes.
func TestBusGoesAwayAndComesBack(t *testing.T) {
	desk := desktop.Start(t)
	address := desk.StartBus(t)
	tree, err := Open(at(address, nil))
	if err != nil {
		t.Fatalf("Open() = %v", err)
	}
	defer func() { _ = tree.Close() }()
	up := func() bool { return tree.Check(t.Context()) == nil }
	desktop.Eventually(t, "the accessibility bus answers", up)
	desk.StopBus()
	desktop.Eventually(t, "the bus is missed", func() bool {
		_, err := tree.Rows(t.Context(), "pid:1")
		if code := hardware.Code(err); code != messages.CodeUnavailable {
			t.Fatalf("Rows() while the bus goes away = %v (%s), want %v", err, code, hardware.ErrUnavailable)
		}
		return !up()
	})
	tree.opt.Address = desk.StartBus(t)
	desktop.Eventually(t, "the new accessibility bus answers", up)
}
