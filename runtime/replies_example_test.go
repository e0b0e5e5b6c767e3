package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// A host looks at the draft of a reply, and puts its own words in its place. Without a
// language model the draft is a fixed text.
func ExampleRuntime_Drafts() {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()

	cfg := runtime.Default()
	cfg.Data = dir
	cfg.OCR.Engine = config.OCRDrawn
	cfg.Windows[0].Script = "testdata/question.jsonl"
	cfg.Replies.Drawn = false // as in any window that Kehai does not draw itself
	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	edited := false
	err = rt.Subscribe("host", func(ctx context.Context, ev runtime.Event) error {
		r, ok := ev.Message.(messages.ReplyChanged)
		switch {
		case !ok:
		case r.State == "draft" && !edited:
			fmt.Printf("draft by rule %s: %s\n", r.Rule, string(r.Text))
			edited = true
			return rt.EditDraft(ctx, control.NewDraftID(r.Conversation, r.Turn, r.Epoch), "At nine.")
		default:
			fmt.Printf("%s: %s\n", r.State, string(r.Text))
			stop()
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := rt.Run(ctx); err != nil {
		log.Fatal(err)
	}
	// Output:
	// draft by rule policy: Thank you for your message. I have seen it and will get back to you.
	// draft: At nine.
}
