package runtime_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
)

// uttered, shout and shouted are durable: a crash loses none. repeated is published.
type (
	uttered  struct{ Text string }
	shout    struct{ Text string }
	shouted  struct{ Text string }
	repeated struct {
		Text  string
		Count int
	}
)

func (uttered) MessageType() messages.Type  { return messages.Type{Name: "uttered", Version: 1} }
func (shout) MessageType() messages.Type    { return messages.Type{Name: "shout", Version: 1} }
func (shouted) MessageType() messages.Type  { return messages.Type{Name: "shouted", Version: 1} }
func (repeated) MessageType() messages.Type { return messages.Type{Name: "repeated", Version: 1} }

var counts = actors.NewTable[int]("counts")

// echoer has a worker shout what is uttered to it, repeats that, and counts.
func echoer(messages.Address) actors.Actor {
	return actors.Func(func(turn *actors.Turn, msg messages.Message) error {
		switch m := msg.(type) {
		case uttered:
			turn.Call("shouter", shout(m), actors.CallOptions{Deadline: actors.DefaultDeadline})
		case shouted:
			n, _ := counts.Get(turn, "n")
			counts.Put(turn, "n", n+1) // stored together with the message's acknowledgement
			turn.Publish(repeated{m.Text, n + 1})
		}
		return nil
	})
}

// shouter does what an actor must not: something that may be slow, or fail.
func shouter() (actors.Worker, error) {
	return actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) {
		return shouted{strings.ToUpper(m.(shout).Text)}, nil
	}), nil
}

// My first actor: a host's own actor, the worker that it asks, and their messages,
// together in one runtime.
func Example_myFirstActor() {
	cfg := runtime.Default()
	cfg.Windows = nil
	ctx, stop := context.WithCancel(context.Background())
	rt, err := runtime.New(cfg,
		runtime.WithMessages(messages.Table{
			messages.Durable[uttered](nil).AboutNobody(), messages.Durable[shout](nil).AboutNobody(),
			messages.Durable[shouted](nil).AboutNobody(), messages.Fleeting[repeated](),
		}),
		runtime.WithActor(engine.Kind{Name: "echoer", New: echoer}),
		runtime.WithWorker(engine.WorkerKind{
			Name: "shouter", Size: 1, New: shouter, Answers: []messages.Type{shouted{}.MessageType()},
		}),
		runtime.InMemory(),
		runtime.WithListener(func(ev runtime.Event) {
			if m, ok := ev.Message.(repeated); ok {
				fmt.Println(m.Text, m.Count)
				if m.Count == 2 {
					stop()
				}
			}
		}))
	if err != nil {
		fmt.Println(err)
		return
	}
	ended := make(chan error)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	for _, text := range []string{"hello", "hello again"} {
		if err := rt.Inject(ctx, "echoer/me", uttered{text}, ""); err != nil {
			fmt.Println(err)
		}
	}
	fmt.Println(<-ended)
	// Output:
	// HELLO 1
	// HELLO AGAIN 2
	// <nil>
}
