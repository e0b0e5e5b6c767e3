// Command owndriver watches a window through a screen driver of its own, and reads
// it with a recognizer of its own. The window is a drawn one; a real driver talks
// to a display, a phone or a picture on the disk.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// phone is a hardware.Screen with one window.
type phone struct{ window *drawn.Window }

func (p phone) Windows(ctx context.Context) ([]hardware.Window, error) {
	return []hardware.Window{{Ref: "chat", Title: p.window.Title(), App: "phone"}}, ctx.Err()
}

// Capture wraps the errors of package hardware, so that everybody knows what to do
// about them.
func (p phone) Capture(ctx context.Context, ref string) (hardware.Capture, error) {
	if ref != "chat" {
		return hardware.Capture{}, fmt.Errorf("phone: %q: %w", ref, hardware.ErrWindowGone)
	}
	return p.window.Capture(ctx)
}

func main() {
	dir, err := os.MkdirTemp("", "kehai") // a real host keeps its data directory
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	look := drawn.DefaultOptions(time.Now)
	look.Fonts = drawn.FindFonts()
	window, err := drawn.New(look)
	if err == nil {
		err = window.Apply(drawn.Change{Op: drawn.OpAppend, Conversation: "Hana",
			Who: drawn.Friend, Text: "I can wait"})
	}
	if err != nil {
		log.Fatal(err)
	}
	cfg := runtime.Default()
	cfg.Data, cfg.OCR.Engine, cfg.Dedup.FirstSight = dir, "known", "all"
	cfg.Windows[0].Driver = "phone" // by the names under which New is given them
	ctx, stop := context.WithCancel(context.Background())
	rt, err := runtime.New(cfg,
		runtime.WithScreen("phone", func(config.Window) (hardware.Screen, string, error) {
			return phone{window}, "chat", nil // the driver's own name of the window
		}),
		runtime.WithRecognizer("known", func() (hardware.Recognizer, error) {
			return drawn.NewRecognizer(window), nil
		}),
		runtime.WithListener(func(ev runtime.Event) {
			if m, ok := ev.Message.(messages.MessageDelivered); ok {
				fmt.Printf("%s: %s\n", string(m.Sender), string(m.Text))
				stop()
			}
		}))
	if err == nil {
		err = rt.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
