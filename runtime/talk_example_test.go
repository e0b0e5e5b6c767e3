package runtime_test

import (
	"context"
	"fmt"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// polite is a language model that answers everything alike.
type polite struct{}

func (polite) Generate(context.Context, runtime.LLMQuestion) (runtime.LLMReply, error) {
	return runtime.LLMReply{Text: "At nine, at the station.", Model: "polite"}, nil
}

// A host talks with Kehai itself: no window shows the conversation, and nothing is typed.
func ExampleRuntime_Talk() {
	cfg := runtime.Default()
	cfg.Windows = nil
	rt, err := runtime.New(cfg, runtime.WithLLM(polite{}), runtime.InMemory())
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()

	hana, err := rt.Talk().Begin(ctx, control.Begin{Channel: messages.ChannelHost, Name: "Hana"})
	if err != nil {
		fmt.Println(err)
		return
	}
	// With the same key it is the same message, however often it is said.
	said, err := rt.Talk().Say(ctx, hana, control.Say{Text: "When and where?", Key: "order 17"})
	for after := said.After; err == nil; {
		var news control.News
		news, err = rt.Talk().News(ctx, hana, after, nil, time.Minute)
		for _, e := range news.Events {
			if e.Event == control.NewsMessage {
				fmt.Printf("%s: %s\n", e.Message.Role, e.Message.Content)
			}
		}
		if n := len(news.Events); n > 0 && news.Events[n-1].Event == control.NewsDone {
			break
		}
		after = news.Last
	}
	stop()
	fmt.Println(err, <-ended)
	// Output:
	// user: When and where?
	// assistant: At nine, at the station.
	// <nil> <nil>
}
