package bare_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
)

// A message that its actor cannot handle is tried again and then put aside. Healthy tells of it;
// once the reason is mended, it is sent again.
func ExampleRuntime_RetryDeadLetter() {
	var mended atomic.Bool
	handled, aside := make(chan int), make(chan struct{}, 1)
	purse := actors.On(func(_ *actors.Turn, m coin) error {
		if !mended.Load() {
			return errors.New("the purse is torn")
		}
		handled <- m.Cents
		return nil
	})
	rt, err := bare.New(bare.Options{
		Actors:   []engine.Kind{bare.Func("purse", purse)},
		Messages: []messages.Table{{messages.Durable[coin](nil).AboutNobody()}},
		Listen: func(ev bare.Event) {
			if _, ok := ev.Message.(events.MessageQuarantined); ok {
				aside <- struct{}{}
			}
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	if err := rt.Inject(ctx, "purse/mine", coin{50}, ""); err != nil {
		log.Fatal(err)
	}
	<-aside
	dead, err := rt.DeadLetters()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(dead[0].Actor, "failed:", dead[0].Error)
	mended.Store(true)
	if err := rt.RetryDeadLetter(ctx, dead[0].ID); err != nil {
		log.Fatal(err)
	}
	fmt.Println(<-handled, "cents")
	stop()
	fmt.Println(<-ended)
	// Output:
	// purse/mine failed: the purse is torn
	// 50 cents
	// <nil>
}
