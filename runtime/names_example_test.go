package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// A host gives a conversation a name of its own, and finds it by that name. Its id
// stays.
func ExampleRuntime_Rename() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Second)
	defer stop()

	cfg := runtime.Default()
	cfg.Data, cfg.OCR.Engine = dir, config.OCRDrawn
	cfg.Windows[0].Script = "testdata/hello.jsonl"
	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	heard := make(chan messages.ConversationID, 8)
	err = rt.Subscribe("host", func(_ context.Context, ev runtime.Event) error {
		if m, ok := ev.Message.(messages.MessageDelivered); ok {
			heard <- m.Conversation
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	id := <-heard
	fmt.Println(rt.Called(id))
	if err := rt.Rename(ctx, "line:Hana", "Hana from work"); err != nil {
		log.Fatal(err)
	}
	found, err := rt.Conversation(ctx, "line", "Hana from work")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found == id)
	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	// Output:
	// line:Hana
	// true
}

// A host makes two conversations one that are the same person's, under two names.
func ExampleRuntime_Merge() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 15*time.Second)
	defer stop()

	cfg := runtime.Default()
	cfg.Data, cfg.Windows = dir, nil
	named := make(chan string, 8)
	rt, err := runtime.New(cfg, runtime.WithListener(func(ev runtime.Event) {
		if m, ok := ev.Message.(events.ConversationNamed); ok {
			named <- string(m.Name)
		}
	}))
	if err != nil {
		log.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()
	for _, name := range []string{"Hana", "Hana at work"} {
		if _, err := rt.Conversation(ctx, "line", name); err != nil {
			log.Fatal(err)
		}
		<-named
	}
	if err := rt.Merge(ctx, "Hana at work", "Hana"); err != nil {
		log.Fatal(err)
	}
	<-named // it is called like the other one now
	list, err := rt.Conversations(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range list {
		fmt.Println(c.Label())
	}
	held, err := rt.Held(ctx) // what nobody could attribute; SettleHeld does
	fmt.Println(len(held), err)
	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	// Output:
	// line:Hana
	// 0 <nil>
}
