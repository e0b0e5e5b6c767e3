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
)

// watch runs a Kehai on a drawn window, hands each event to do, and ends when that says
// so.
func watch(chat string, change func(*runtime.Config),
	do func(context.Context, *runtime.Runtime, messages.Message) (done bool, err error)) {
	dir, err := os.MkdirTemp("", "kehai")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	cfg := runtime.Default()
	cfg.Data, cfg.OCR.Engine, cfg.Windows[0].Script = dir, config.OCRDrawn, chat
	change(&cfg)
	rt, err := runtime.New(cfg)
	if err != nil {
		log.Fatal(err)
	}
	err = rt.Subscribe("host", func(ctx context.Context, ev runtime.Event) error {
		done, err := do(ctx, rt, ev.Message)
		if done {
			stop()
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	if err := rt.Run(ctx); err != nil {
		log.Fatal(err)
	}
}

// A host answers by itself: its text is typed into the window, and confirmed once its
// bubble stands there. The key keeps a text from being sent twice, also after a crash.
func ExampleRuntime_Send() {
	answersItself := func(c *runtime.Config) { c.Replies.Policy = "off" }
	watch("testdata/question.jsonl", answersItself,
		func(ctx context.Context, rt *runtime.Runtime, m messages.Message) (bool, error) {
			switch m := m.(type) {
			case messages.MessageDelivered:
				fmt.Printf("%s: %s\n", string(m.Sender), string(m.Text))
				return false, rt.Send(ctx, "line", m.Conversation, "At nine.", "answer to "+string(m.ID))
			case messages.SendDone:
				fmt.Println("sending:", m.Outcome)
				return true, nil
			}
			return false, nil
		})
	// Output:
	// Hana: When do we meet?
	// sending: confirmed
}

// Whether a message wants an answer is judged; without a language model a chat of two
// always does.
func ExampleRuntime_Judgements() {
	watch("testdata/question.jsonl", func(*runtime.Config) {},
		func(ctx context.Context, rt *runtime.Runtime, m messages.Message) (bool, error) {
			if _, made := m.(messages.JudgementMade); !made {
				return false, nil
			}
			list, err := rt.Judgements(ctx)
			for _, j := range list {
				fmt.Printf("%s: %v, because %s\n", rt.Called(j.Conversation), j.ShouldRespond, j.Reason)
			}
			return true, err
		})
	// Output:
	// line:Hana: true, because no language model is configured
}

// The other side asks to be reminded of something, and the host takes it off the list.
func ExampleRuntime_Reminders() {
	watch("testdata/reminder.jsonl", func(*runtime.Config) {},
		func(ctx context.Context, rt *runtime.Runtime, m messages.Message) (bool, error) {
			if _, delivered := m.(messages.MessageDelivered); !delivered {
				return false, nil
			}
			list, err := rt.Reminders(ctx)
			for _, r := range list {
				fmt.Println("remind of:", r.What)
				err = rt.CancelReminder(ctx, r.ID)
			}
			return true, err
		})
	// Output:
	// remind of: call Bob
}
