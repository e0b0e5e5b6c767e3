package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// A host has remembered what was said elsewhere, and asks for what helps to answer.
func ExampleRuntime_Recall() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cfg := runtime.Default()
	cfg.Data, cfg.Windows = dir, nil // watch nothing
	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()

	monday := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	n, err := rt.Remember(ctx, "shop:4711", []messages.Event{
		{ID: "1", Speaker: "Anna", At: monday, Text: "The blue bicycle squeaks when I brake."},
		{ID: "2", Own: true, At: monday.Add(time.Minute), Text: "I can look at it on Thursday."},
		{ID: "3", Speaker: "Anna", At: monday.Add(time.Hour), Text: "Thank you!"},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(n, "are new")
	found, err := rt.Recall(ctx, control.RecallQuery{Conversation: "shop:4711", Text: "What is wrong with the bicycle?",
		K: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range found.Found {
		fmt.Printf("%s, %s: %s\n", f.At.Format(time.DateOnly), f.Who(), f.Text)
	}
	stop()
	if err := <-ended; err != nil {
		log.Fatal(err)
	}
	// Output:
	// 3 are new
	// 2026-03-02, Anna: The blue bicycle squeaks when I brake.
}

// A host shows what a message answers, and whether everything stored is found.
func ExampleRuntime_Memory() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cfg := runtime.Default()
	cfg.Data, cfg.Windows = dir, nil // watch nothing
	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(ctx) }()
	<-rt.Ready()

	monday := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	if _, err := rt.Remember(ctx, "shop:4711", []messages.Event{
		{ID: "1", Speaker: "Anna", At: monday, Text: "The blue bicycle squeaks when I brake."},
		{ID: "2", Own: true, At: monday.Add(time.Minute), Text: "I can look at it on Thursday."},
	}); err != nil {
		log.Fatal(err)
	}
	reply, err := rt.Memory().Remembered(ctx, "shop:4711", "2")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q answers %q\n", reply.Text, reply.Answers.Text)
	check, err := rt.Memory().VerifyMemory(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(check.Events, "are stored, all found:", check.OK())
	stop()
	if err := <-ended; err != nil {
		var left *runtime.Unfinished // what is said is still being learned from
		if !errors.As(err, &left) {
			log.Fatal(err)
		}
	}
	// Output:
	// "I can look at it on Thursday." answers "The blue bicycle squeaks when I brake."
	// 2 are stored, all found: true
}
