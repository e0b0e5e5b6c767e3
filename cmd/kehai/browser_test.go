package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// pageKeys are the keys of a Kehai, which get one more once a file is there.
type pageKeys struct {
	control.PageBackend
	opened string
}

func (k pageKeys) PageKeys(context.Context) ([]control.PageKey, error) {
	list := []control.PageKey{{ID: "k-before"}}
	if _, err := os.Stat(k.opened); err == nil {
		list = append(list, control.PageKey{ID: "k-after"})
	}
	return list, nil
}

func (k pageKeys) PageLink(context.Context, messages.ConversationID) (string, error) {
	return "http://127.0.0.1:7411/#c=0123secret", nil
}

// TestTheBrowserIsOpened with a file that leads to the page, which nobody else may read, and
// which goes; no argument has the code.
func TestTheBrowserIsOpened(t *testing.T) {
	for _, tt := range []struct {
		name, does string // what the program does besides looking
		want       bool
	}{
		{"a page that opens", `touch "$dir/opened"`, true},
		{"a browser that stays", `touch "$dir/opened"; exec sleep 60`, true},
		{"no browser", `exit 3`, false},
		{"a page that does not open", `:`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, "none"))
			t.Setenv("TMPDIR", dir)
			program := filepath.Join(dir, "open.sh")
			script := "#!/bin/sh\ndir=" + dir + `
echo "$0 $*" > "$dir/args"; ls -l "$1" > "$dir/mode"; cat "$1" > "$dir/seen"
` + tt.does + "\n"
			if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
				t.Fatal(err)
			}
			b := browser{pageKeys{opened: filepath.Join(dir, "opened")}, program, 2 * time.Second}
			if got, err := b.open(t.Context(), "/camera"); got != tt.want || err != nil {
				t.Fatalf("open() = %v, %v, want %v", got, err, tt.want)
			}
			read := func(name string) string {
				raw, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Error(err)
				}
				return string(raw)
			}
			if args := read("args"); strings.Contains(args, "secret") || strings.Contains(args, ":7411") {
				t.Errorf("the arguments are %q, want no address", args)
			}
			if mode := read("mode"); !strings.HasPrefix(mode, "-rw-------") {
				t.Errorf("the file is %q, want that nobody else may read it", mode)
			}
			if page := read("seen"); !strings.Contains(page, `url=http://127.0.0.1:7411/camera#c=0123secret"`) {
				t.Errorf("the file holds %q, want that it leads to the page", page)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "kehai-*")); len(left) > 0 {
				t.Errorf("%v is left", left)
			}
		})
	}
}
