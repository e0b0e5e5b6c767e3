package darwin

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// fakeScript is a program that stands in for osascript.
func fakeScript(t *testing.T, text string) *Notifier {
	t.Helper()
	path := filepath.Join(t.TempDir(), "osascript")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return &Notifier{command: path}
}

// The texts reach the script as its arguments whatever they are.
func TestNotifyPassesArguments(t *testing.T) {
	for _, tt := range [][2]string{
		{"You look drowsy", "Since 14:03. A short break or some fresh air may help."},
		{`"; do shell script "id"`, "-e $(id) `id` \\"},
		{"-i", ""},
		{"眠そう", "一行\n二行"},
	} {
		got := filepath.Join(t.TempDir(), "got")
		n := fakeScript(t, `{ cat; printf '%s\0' "$@"; } >'`+got+"'\n")
		if err := n.Notify(t.Context(), tt[0], tt[1]); err != nil {
			t.Fatalf("Notify(%q, %q) = %v, want none", tt[0], tt[1], err)
		}
		raw, err := os.ReadFile(got)
		if err != nil {
			t.Fatal(err)
		}
		if want := notice + "-\x00" + tt[0] + "\x00" + tt[1] + "\x00"; string(raw) != want {
			t.Errorf("Notify(%q, %q) ran %q, want %q", tt[0], tt[1], raw, want)
		}
	}
}

// The program that shows a notice gets no key from the environment.
func TestNotifyHasNoSecret(t *testing.T) {
	t.Setenv("TEST_API_KEY", "marked-secret")
	got := filepath.Join(t.TempDir(), "got")
	if err := fakeScript(t, "cat >/dev/null; env >'"+got+"'\n").Notify(t.Context(), "title", "body"); err != nil {
		t.Fatal(err)
	}
	if raw, err := os.ReadFile(got); err != nil || strings.Contains(string(raw), "marked-secret") {
		t.Errorf("osascript has %s, %v; want no secret", raw, err)
	}
}

func TestNotifyFails(t *testing.T) {
	n := fakeScript(t, "echo 'execution error: not allowed (-1743)' >&2\nexit 1\n")
	err := n.Notify(t.Context(), "title", "body")
	if !errors.Is(err, hardware.ErrUnavailable) || !strings.Contains(err.Error(), "-1743") ||
		!strings.Contains(err.Error(), AllowNotices) {
		t.Errorf("Notify(refused) = %v, want %v with the reason and where to allow it", err, hardware.ErrUnavailable)
	}
	n = &Notifier{command: filepath.Join(t.TempDir(), "none")}
	if err := n.Notify(t.Context(), "title", "body"); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Notify(no osascript) = %v, want %v", err, hardware.ErrUnavailable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	n = fakeScript(t, "exec sleep 60\n")
	if err := n.Notify(ctx, "title", "body"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Notify(hanging) = %v, want %v", err, context.DeadlineExceeded)
	}
	if err := n.Notify(ctx, "title", "body"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Notify(ended) = %v, want %v", err, context.DeadlineExceeded)
	}
}
