package main

import (
	"debug/buildinfo"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// maxSize is what a host of its own actors may weigh, without debug information: with it, it is
// nearly half as much again.
const maxSize = 15_000_000

// TestSize builds the program without debug information, and prints what it weighs and which
// modules it links. It costs one link of a second: as it is built, all packages are for other tests.
func TestSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hello")
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", path, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v: %s", err, out)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	linked, err := buildinfo.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var modules []string
	for _, m := range linked.Deps {
		modules = append(modules, m.Path)
		for _, heavy := range []string{"langchaingo", "purego", "robotgo", "kagome", "jezek/xgb", "godbus", "x/image"} {
			if strings.Contains(m.Path, heavy) {
				t.Errorf("hello links %s, want nothing that sees, reads or asks a model", m.Path)
			}
		}
	}
	t.Logf("%.1f MB, modules %s", float64(info.Size())/1e6, strings.Join(modules, " "))
	if info.Size() > maxSize {
		t.Errorf("hello weighs %d bytes, want at most %d", info.Size(), maxSize)
	}
}
