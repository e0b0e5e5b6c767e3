package bare_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
)

// With a retention the log keeps events for a month, and longer for a subscription that is behind.
// When the program gives one up, it drops its place.
func ExampleRuntime_DropSubscription() {
	data, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(data)
	purse := actors.On(func(turn *actors.Turn, m coin) error { turn.Publish(counted(m)); return nil })
	for _, name := range []string{"till", "ledger"} { // the second version of the program has another reader
		rt, err := bare.New(bare.Options{
			Data: data, Retention: bare.Retention{Events: 30 * 24 * time.Hour},
			Actors: []engine.Kind{bare.Func("purse", purse)},
			Messages: []messages.Table{{
				messages.Durable[coin](nil).AboutNobody(), messages.Durable[counted](nil).AboutNobody(),
			}},
		})
		if err != nil {
			log.Fatal(err)
		}
		read := make(chan bool, 2)
		err = rt.Subscribe(name, func(context.Context, bare.Event) error { read <- true; return nil })
		if err != nil {
			log.Fatal(err)
		}
		ctx, stop := context.WithCancel(context.Background())
		ended := make(chan error)
		go func() { ended <- rt.Run(ctx) }()
		<-rt.Ready()
		if err := rt.Inject(ctx, "purse/mine", coin{50}, "the only one"); err != nil {
			log.Fatal(err)
		}
		<-read
		list, err := rt.Subscriptions()
		if err != nil {
			log.Fatal(err)
		}
		for _, s := range list {
			if !s.Served {
				fmt.Println(name, "replaces", s.Name)
				if err := rt.DropSubscription(ctx, s.Name); err != nil {
					log.Fatal(err)
				}
			}
		}
		stop()
		fmt.Println(name, "ends:", <-ended)
	}
	// Output:
	// till ends: <nil>
	// ledger replaces till
	// ledger ends: <nil>
}
