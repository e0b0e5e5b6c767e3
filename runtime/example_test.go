package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
)

// A host reads a chat window that is drawn, with a recognizer that knows what
// was drawn, until it has seen two messages.
func Example() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)

	cfg := runtime.Default()
	cfg.Data = dir
	cfg.OCR.Engine = runtime.OCRDrawn
	cfg.Windows[0].Script = "testdata/hello.jsonl"

	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	lines := 0
	err = rt.Subscribe("host", func(_ context.Context, ev runtime.Event) error {
		m, ok := ev.Message.(messages.MessageDelivered)
		if !ok {
			return nil
		}
		for _, part := range m.Parts {
			fmt.Printf("%s: %s\n", string(m.Sender), string(part.Text))
			if lines++; lines == 2 {
				stop()
			}
		}
		return nil
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
