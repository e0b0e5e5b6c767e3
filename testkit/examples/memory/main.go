// Command memory is a host that remembers: it hands in what was said elsewhere, and asks for what helps
// to answer a question. No model is needed.
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

// shop is the host's own name of a conversation.
const shop messages.ConversationID = "shop:4711"

// said is what was said there. The ids are the host's: an event that is handed in again is known.
func said() []messages.Event {
	monday := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	return []messages.Event{
		{ID: "1", Speaker: "Anna", At: monday, Text: "The blue bicycle squeaks when I brake."},
		{ID: "2", Own: true, At: monday.Add(time.Minute), Text: "I can look at it on Thursday."},
		{ID: "3", Speaker: "Anna", At: monday.Add(time.Hour), Text: "Thursday is fine. My brother picks it up."},
	}
}

func main() {
	cfg := runtime.Default()
	cfg.Windows = nil // watch nothing
	rt, err := runtime.New(cfg, runtime.InMemory())
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	if err = recall(ctx, rt); err == nil {
		stop()
		err = <-ended
	}
	if err != nil {
		log.Fatal(err)
	}
}

// recall remembers everything twice, and prints what is found.
func recall(ctx context.Context, rt *runtime.Runtime) error {
	for range 2 {
		n, err := rt.Remember(ctx, shop, said())
		if err != nil {
			return err
		}
		fmt.Println(n, "events are new")
	}
	for _, question := range []string{"What is wrong with the bicycle?", "Who picks it up?"} {
		found, err := rt.Recall(ctx, control.RecallQuery{Conversation: shop, Text: question, K: 1})
		if err != nil {
			return err
		}
		for _, f := range found.Found {
			fmt.Printf("%s\n  %s, %s: %s\n", question, f.At.Format(time.DateOnly), f.Who(), f.Text)
		}
	}
	return nil
}
