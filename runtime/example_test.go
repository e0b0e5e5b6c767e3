package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// A host reads a chat window that is drawn, with a recognizer that knows what
// was drawn. The lines of the README stand here.
func Example() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Second)
	defer stop()

	cfg := runtime.Default()
	cfg.Data = dir
	cfg.OCR.Engine = config.OCRDrawn // knows what the drawn window shows; leave it out for real OCR
	cfg.Windows[0].Script = "testdata/hello.jsonl"

	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	err = rt.Subscribe("host", func(_ context.Context, ev runtime.Event) error {
		if m, ok := ev.Message.(messages.MessageDelivered); ok {
			for _, part := range m.Parts {
				fmt.Printf("%s: %s\n", string(m.Sender), string(part.Text))
			}
		}
		return nil // acknowledges: it does not come again
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := rt.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// Hana: Hello!
	// Hana: こんにちは
}

// TestREADME keeps the host's program in the README the one that runs here.
func TestREADME(t *testing.T) {
	readme, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(readme), "```go\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !closed {
		t.Fatal("README.md has no Go program")
	}
	var want strings.Builder
	for line := range strings.Lines(block) {
		if strings.TrimSpace(line) != "" {
			want.WriteByte('\t')
		}
		want.WriteString(line)
	}
	if !strings.Contains(string(here), want.String()) {
		t.Errorf("the Go program in README.md is not the one in Example: make them the same\n%s", block)
	}
}
