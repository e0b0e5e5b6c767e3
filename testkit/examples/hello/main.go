// Command hello is the smallest host: its one actor greets. The README shows it.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
)

func main() {
	ctx, stop := context.WithCancel(context.Background())
	hello := actors.On(func(turn *actors.Turn, _ messages.Started) error {
		fmt.Println("hello from", turn.Self())
		stop()
		return nil
	})
	kinds := []engine.Kind{bare.Func("hello", hello)}
	rt, err := bare.New(bare.Options{Actors: kinds, Live: []messages.Address{"hello/world"}})
	if err == nil {
		err = rt.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
