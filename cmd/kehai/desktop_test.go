//go:build desktop

package main

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/messages"
)

// kehaiSays runs a command line in this process.
func kehaiSays(t *testing.T, wantCode int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	if code := Main(append([]string{"--data", t.TempDir()}, args...), &out, &errs); code != wantCode {
		t.Errorf("kehai %q = %d, want %d:\n%s%s", args, code, wantCode, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

func wantIn(t *testing.T, what, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("%s = %q, want %q in it", what, got, w)
		}
	}
}

func TestDesktopListsAndChooses(t *testing.T) {
	desk := desktop.Start(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("KEHAI_WEB_ADDR", "127.0.0.1:0")
	out, _ := kehaiSays(t, exitOK, "doctor")
	wantIn(t, "doctor without a manager", out, "X11 at "+desk.Display, "note  manager")
	_, errs := kehaiSays(t, exitOK, "windows")
	wantIn(t, "windows of none", errs, "no windows are open", "there is no window manager", "start a window manager")
	_, errs = kehaiSays(t, exitFailed, "watch", "--window", "Hana", "--no-web")
	wantIn(t, "watch of none without a manager", errs, "none of the 0 open windows", "there is no window manager")
	t.Setenv("WAYLAND_DISPLAY", "wayland-0")
	_, errs = kehaiSays(t, exitOK, "windows")
	wantIn(t, "windows in a Wayland session", errs, "this is a Wayland session", "log in to an X11")
	t.Setenv("WAYLAND_DISPLAY", "")

	desk.StartWindowManager(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	client := desktop.Connect(t, desk.Display)
	first := client.Open("Hana\x1b[2J", "Chat", image.Rect(10, 10, 330, 250))
	client.Open("Ken", "Chat", image.Rect(400, 10, 720, 250))
	desktop.Eventually(t, "both windows are listed", func() bool {
		list, err := findAll(t)
		return err == nil && len(list) == 2
	})
	out, errs = kehaiSays(t, exitOK, "windows")
	if errs != "" {
		t.Errorf("windows on a whole desktop says %q, want nothing beside the list", errs)
	}
	wantIn(t, "windows", out, "REF", "Chat", "Ken", "320×240", fmt.Sprintf("0x%x", first.ID))
	if strings.Contains(out, "\x1b") {
		t.Errorf("windows = %q, want titles that cannot steer the terminal", out)
	}
	out, _ = kehaiSays(t, exitOK, "windows", "--json")
	wantIn(t, "windows --json", out,
		fmt.Sprintf(`{"ref":"0x%x","app":"Chat","title":"Hana`, first.ID), `"width":320,"height":240}`)

	_, errs = kehaiSays(t, exitFailed, "watch", "--window", "chat", "--no-web")
	wantIn(t, "watch of two", errs, "2 windows match", "Hana", "Ken")
	_, errs = kehaiSays(t, exitFailed, "watch", "--window", "Mia", "--no-web")
	wantIn(t, "watch of none", errs, "none of the 2 open windows", "kehai windows")

	desktop.Eventually(t, "doctor finds all", func() bool {
		out, _ = kehaiSays(t, exitOK, "doctor")
		return strings.Contains(out, "the accessibility bus answers")
	})
	wantIn(t, "doctor", out, "windows are managed by Openbox", ", 2 windows")
}

func findAll(t *testing.T) ([]hardware.Window, error) {
	t.Helper()
	f, err := openFinder()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Windows(t.Context())
}

// TestDesktopWindowStates watches a window through everything that can happen to
// it: each change of state is reported once, with its code, and watching goes on by
// itself.
func TestDesktopWindowStates(t *testing.T) {
	desk := desktop.Start(t)
	t.Setenv("DISPLAY", desk.Display)
	t.Setenv("WAYLAND_DISPLAY", "")
	t.Setenv("KEHAI_LOG_LEVEL", "info")
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", desk.StartBus(t))
	desk.StartWindowManager(t)
	client := desktop.Connect(t, desk.Display)
	box := image.Rect(40, 40, 440, 340)
	chat := client.Open("Hana Chat", "Chat", box)
	desktop.Eventually(t, "the window is listed", func() bool {
		_, err := findWindow(t.Context(), chatQuery)
		return err == nil
	})
	w := startWatch(t, t.TempDir())
	var told []string
	becomes := func(what string, code string, change func()) {
		t.Helper()
		told = append(told, code)
		change()
		desktop.Eventually(t, what, func() bool { return len(w.states()) >= len(told) })
		if got := w.states(); !slices.Equal(got, told) {
			t.Fatalf("states told = %q, want %q", got, told)
		}
	}
	becomes("it is captured at first", "", func() {})
	becomes("it is minimised", messages.CodeMinimised, chat.Minimise)
	becomes("it is back", "", chat.Show)
	becomes("it is on another workspace", messages.CodeMinimised, func() { chat.Workspace(1) })
	becomes("it is on this one again", "", func() { chat.Workspace(0) })
	becomes("it is called otherwise", messages.CodeWindowGone, func() { chat.Rename("Settings") })
	becomes("it has its title again", "", func() { chat.Rename("Hana Chat") })
	becomes("it is too small", messages.CodeEmptyFrame, func() { chat.Resize(image.Pt(1, 1)) })
	becomes("it is large again", "", func() { chat.Resize(box.Size()) })
	becomes("it is closed", messages.CodeWindowGone, chat.Close)
	becomes("it is open again", "", func() { chat = client.Open("Hana Chat", "Chat", box) })

	// A server that ends closes its windows first.
	becomes("it is closed again", messages.CodeWindowGone, chat.Close)
	becomes("the X server has ended", messages.CodeNoDisplay, desk.StopServer)
	becomes("another X server runs, without the window", messages.CodeWindowGone, func() {
		desk.RestartServer(t)
		desk.StartWindowManager(t)
	})
	becomes("it has the window", "", func() {
		client = desktop.Connect(t, desk.Display)
		chat = client.Open("Hana Chat", "Chat", box)
	})
	if strings.Contains(w.printed(), "Settings") || strings.Contains(w.printed(), "Hana Chat") {
		t.Errorf("kehai printed %q, want no titles in it", w.printed())
	}
	w.stop(t)
}
