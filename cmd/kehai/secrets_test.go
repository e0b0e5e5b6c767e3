package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// TestNoChildGetsASecret starts every program that Kehai starts, with keys in the environment.
func TestNoChildGetsASecret(t *testing.T) {
	for _, name := range []string{"ANTHROPIC_API_KEY", "OPENAI_API_KEY", "KEHAI_TEST_KEY", "KEHAI_ENCRYPTION_KEY",
		"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "MY_PASSPHRASE", "SSH_AUTH_SOCK"} {
		t.Setenv(name, "marked-secret")
	}
	dir := t.TempDir()
	t.Setenv("XDG_RUNTIME_DIR", dir)
	got, program := filepath.Join(dir, "got"), filepath.Join(dir, "program")
	script := "#!/bin/sh\nenv > '" + got + "'\ntouch '" + dir + "/opened'\n"
	if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name  string
		start func(context.Context) error
	}{
		{"a tool of the system", func(ctx context.Context) error {
			_, err := tool(ctx, program, "--user", "show")
			return err
		}},
		{"the browser", func(ctx context.Context) error {
			_, err := browser{pageKeys{opened: filepath.Join(dir, "opened")}, program, time.Minute}.open(ctx, "/")
			return err
		}},
		{"the editor of a draft", func(ctx context.Context) error {
			cmd := &cobra.Command{}
			cmd.SetContext(ctx)
			cmd.SetIn(new(bytes.Buffer))
			cmd.SetErr(io.Discard)
			_, err := edit(cmd, program, "a draft")
			return err
		}},
		{"Kehai on a window", func(ctx context.Context) error {
			return (&realDesk{cfg: config.Default()}).watching(ctx, program, "42", dir).Run()
		}},
		{"OCR", func(context.Context) error {
			cmd := runtime.OCRCommand("tesseract")
			cmd.Path = program
			return cmd.Run()
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{got, filepath.Join(dir, "opened")} {
				_ = os.Remove(name) // of the one before
			}
			if err := tt.start(t.Context()); err != nil {
				t.Fatal(err)
			}
			raw, err := os.ReadFile(got)
			if err != nil || strings.Contains(string(raw), "marked-secret") || !strings.Contains(string(raw), "PATH=") {
				t.Errorf("the child has %s, %v; want what it needs, and no secret", raw, err)
			}
		})
	}
}
