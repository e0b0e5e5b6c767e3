package bare_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
	"github.com/kehai-run/kehai/runtime/engine"
)

// coin is durable: a crash loses none. counted is an event.
type (
	coin    struct{ Cents int }
	counted struct{ Cents int }
)

func (coin) MessageType() messages.Type    { return messages.Type{Name: "coin", Version: 1} }
func (counted) MessageType() messages.Type { return messages.Type{Name: "counted", Version: 1} }

// A first actor: what it keeps is committed together with the acknowledgement of the message, and
// is there after a restart. A subscription gets its events once and in order.
func Example() {
	data, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(data)
	sums := actors.NewTable[int]("sums")
	purse := actors.On(func(turn *actors.Turn, m coin) error {
		sum, _ := sums.Get(turn, "sum")
		sums.Put(turn, "sum", sum+m.Cents)
		turn.Publish(counted{sum + m.Cents})
		return nil
	})
	for _, cents := range []int{50, 20} { // two runs on the same data directory
		ctx, stop := context.WithCancel(context.Background())
		rt, err := bare.New(bare.Options{
			Data: data, Actors: []engine.Kind{bare.Func("purse", purse)},
			Messages: []messages.Table{{
				messages.Durable[coin](nil).AboutNobody(), messages.Durable[counted](nil).AboutNobody(),
			}},
		})
		if err != nil {
			log.Fatal(err)
		}
		err = rt.Subscribe("till", func(_ context.Context, ev bare.Event) error {
			if m, ok := ev.Message.(counted); ok {
				fmt.Println(m.Cents, "cents")
				stop()
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
		go func() {
			<-rt.Ready()
			if err := rt.Inject(ctx, "purse/mine", coin{cents}, ""); err != nil {
				log.Print(err)
			}
		}()
		if err := rt.Run(ctx); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 50 cents
	// 70 cents
}
