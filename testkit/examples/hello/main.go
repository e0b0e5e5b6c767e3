// Command hello is the smallest host: its one actor greets. The README shows it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	hello := actors.On(func(turn *actors.Turn, _ messages.Started) error {
		fmt.Println("hello from", turn.Self())
		stop()
		return nil
	})
	cfg := runtime.Default()
	cfg.Windows = nil // watch nothing
	rt, err := runtime.New(cfg, runtime.WithFunc("hello", hello, "world"), runtime.InMemory())
	if err == nil {
		err = rt.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
