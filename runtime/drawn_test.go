package runtime_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware/drawn/script"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/private"
)

// TestWhoStartsAgain refuses a script that ends the runtime where nobody starts
// another one, before anything runs.
func TestWhoStartsAgain(t *testing.T) {
	for _, c := range []struct {
		verb      string
		lives, ok bool
	}{
		{"restart", false, false}, {"crash", false, false}, {"reset_baseline", false, true},
		{"restart", true, true}, {"crash", true, true},
	} {
		dir := t.TempDir()
		cfg := config.Default()
		cfg.Data = filepath.Join(dir, "data")
		cfg.Windows[0].Script = filepath.Join(dir, "chat.jsonl")
		text := `{"at_ms":0,"who":"me","text":"a","conversation":"Hana"}` + "\n" + `{"at_ms":1,"do":"` + c.verb + `"}` +
			"\n"
		if err := os.WriteFile(cfg.Windows[0].Script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var opts []runtime.Option
		if c.lives {
			opts = append(opts, runtime.WithLives(func(bool) {}))
		}
		_, err := runtime.New(cfg, opts...)
		if (err == nil) != c.ok {
			t.Errorf("New(%s, lives %v) = %v, want an error = %v", c.verb, c.lives, err, !c.ok)
		}
		if !c.ok && (!errors.Is(err, script.ErrHost) || !strings.Contains(err.Error(), "line 2") ||
			!strings.Contains(err.Error(), "kehai run")) {
			t.Errorf("New(%s) = %v, want ErrHost with the line and what helps", c.verb, err)
		}
	}
}

// A second Kehai on the same data writes nothing into the journal of the first.
func TestTwoKehaisDoNotDrawOneWindow(t *testing.T) {
	cfg := config.Default()
	cfg.Data = filepath.Join(t.TempDir(), "data")
	first, err := runtime.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	journal := filepath.Join(cfg.Data, "windows", "line.jsonl")
	before, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Windows[0].Script = filepath.Join(t.TempDir(), "other.jsonl")
	text := `{"at_ms":0,"who":"friend","text":"a","conversation":"Ken"}` + "\n"
	if err := os.WriteFile(cfg.Windows[0].Script, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := runtime.New(cfg); !errors.Is(err, private.ErrHeld) || !strings.Contains(err.Error(), cfg.Data) {
		t.Errorf("a second New() = %v, want ErrHeld with the data directory", err)
	}
	if after, err := os.ReadFile(journal); err != nil || string(after) != string(before) {
		t.Errorf("the journal changed from %q to %q, %v", before, after, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := first.Run(ended); err != nil {
		t.Errorf("Run() = %v", err)
	}
	second, err := runtime.New(cfg)
	if err != nil {
		t.Errorf("New() after the first has ended = %v, want a runtime", err)
		return
	}
	if err := second.Run(ended); err != nil {
		t.Errorf("Run() = %v", err)
	}
}
