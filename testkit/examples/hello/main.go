// Command hello is the smallest host: one actor of its own, which greets once it
// is live. The README shows it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	hello := actors.Func(func(turn *actors.Turn, msg messages.Message) error {
		if _, ok := msg.(messages.Started); ok {
			fmt.Println("hello from", turn.Self())
			stop()
		}
		return nil
	})
	cfg := runtime.Default()
	cfg.Windows = nil // watch nothing
	rt, err := runtime.New(cfg,
		runtime.WithStore(func() (engine.Store, error) { return mem.New(), nil }),
		runtime.WithActor(engine.Kind{Name: "hello", New: func(messages.Address) actors.Actor { return hello }},
			"world"))
	if err == nil {
		err = rt.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
