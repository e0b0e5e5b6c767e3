// Command embed is a host that reads a chat: it watches the window that Kehai draws
// itself and prints what a friend writes in it. With another driver and without
// config.OCRDrawn it reads a real one.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

func main() {
	dir, err := os.MkdirTemp("", "kehai") // a real host keeps its data directory
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := run(dir); err != nil {
		log.Fatal(err)
	}
}

// run prints the first two messages.
func run(dir string) error {
	cfg := runtime.Default()
	cfg.Data, cfg.OCR.Engine = dir, config.OCRDrawn
	cfg.Dedup.FirstSight = "all" // what stands there at first is news too
	rt, err := runtime.New(cfg)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	count := 0
	err = rt.Subscribe("embed", func(_ context.Context, ev runtime.Event) error {
		if m, ok := ev.Message.(messages.MessageDelivered); ok {
			for _, part := range m.Parts { // what comes in quick succession is one message
				if count++; count <= 2 {
					fmt.Printf("%s: %s\n", string(m.Sender), string(part.Text))
				}
			}
		}
		if count >= 2 {
			stop()
		}
		return nil // acknowledged: it does not come again
	})
	if err != nil {
		return err
	}
	return rt.Run(ctx)
}
