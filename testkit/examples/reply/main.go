// Command reply is a host with a channel of its own: it says what people write there, and shows what
// Kehai answers. The language model is a script; leave out WithLLM for the one that section llm of the
// configuration names.
package main

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// script is a language model that says one line after another.
type script chan string

func (s script) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	if q.Purpose != "reply" { // what else a model can help with, rules do without it
		return runtime.LLMReply{}, &runtime.LLMError{Code: "refused", Text: "the script has replies only"}
	}
	return runtime.LLMReply{Text: <-s, Model: "script"}, nil
}

func main() {
	lines := script(make(chan string, 2))
	lines <- "At nine, at the station."
	lines <- "Yes, for both of us."
	cfg := runtime.Default()
	cfg.Windows = nil // watch nothing
	rt, err := runtime.New(cfg, runtime.WithLLM(lines), runtime.WithLocalLLM(), runtime.InMemory())
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	hana, err := rt.Talk().Begin(ctx, control.Begin{Channel: messages.ChannelHost, Name: "Hana"})
	for _, text := range []string{"When and where do we meet?", "Do you have the tickets?"} {
		if err == nil {
			err = ask(ctx, rt.Talk(), hana, text)
		}
	}
	stop()
	if err == nil {
		err = <-ended
	}
	if err != nil {
		log.Fatal(err)
	}
}

// ask says something in a conversation, and prints it and what is answered. Said again with the same
// key, after a crash, it is the same message.
func ask(ctx context.Context, talk control.TalkBackend, c messages.ConversationID, text string) error {
	said, err := talk.Say(ctx, c, control.Say{Text: text, Key: "order 17: " + text})
	for after := said.After; err == nil; {
		var news control.News
		news, err = talk.News(ctx, c, after, nil, time.Minute)
		for _, e := range news.Events {
			switch e.Event {
			case control.NewsMessage:
				fmt.Printf("%s: %s\n", e.Message.Role, e.Message.Content)
			case control.NewsDone:
				return nil
			}
		}
		after = news.Last
	}
	return err
}
