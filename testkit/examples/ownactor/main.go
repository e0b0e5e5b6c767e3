// Command ownactor hands what is delivered to an actor of its own, once each. The
// actor keeps what it makes of them in its table.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"unicode/utf8"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// wrote tells a counter what somebody wrote; counted says what it has by then.
type wrote struct{ Conversation, Text string }
type counted struct{ Messages, Characters int }

// Subject returns the conversation that the note is about, so that forget finds it.
func (w wrote) Subject() messages.ConversationID { return messages.ConversationID(w.Conversation) }
func (wrote) MessageType() messages.Type         { return messages.Type{Name: "wrote", Version: 1} }
func (counted) MessageType() messages.Type       { return messages.Type{Name: "counted", Version: 1} }

var totals = actors.NewTable[counted]("totals")

// counter is one actor a conversation. What it puts into its table is committed
// together with the message that led to it, or not at all.
func counter(turn *actors.Turn, m wrote) error {
	total, _ := totals.Get(turn, "all")
	total = counted{total.Messages + 1, total.Characters + utf8.RuneCountInString(m.Text)}
	totals.Put(turn, "all", total)
	turn.Publish(total)
	return nil
}

func main() {
	dir, err := os.MkdirTemp("", "kehai") // a real host keeps its data directory
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cfg := runtime.Default()
	cfg.Data, cfg.OCR.Engine, cfg.Dedup.FirstSight = dir, config.OCRDrawn, "all"
	cfg.Windows[0].Speed = 0.1 // the next message comes after this program has ended
	ctx, stop := context.WithCancel(context.Background())
	rt, err := runtime.New(cfg,
		runtime.WithMessages(messages.Table{messages.Durable[wrote](nil), messages.Fleeting[counted]()}),
		runtime.WithFunc("counter", actors.On(counter)),
		runtime.WithListener(func(ev runtime.Event) {
			if m, ok := ev.Message.(counted); ok {
				fmt.Println(m.Messages, "message,", m.Characters, "characters")
				stop()
			}
		}))
	if err != nil {
		log.Fatal(err)
	}
	// An event comes again until it is acknowledged. The key lets it count once.
	err = rt.Subscribe("counter", func(ctx context.Context, ev runtime.Event) error {
		if m, ok := ev.Message.(messages.MessageDelivered); ok {
			it := wrote{string(m.Conversation), string(m.Text)}
			return rt.Inject(ctx, messages.To("counter", it.Conversation), it, string(m.ID))
		}
		return nil
	})
	if err == nil {
		err = rt.Run(ctx)
	}
	if err != nil {
		log.Fatal(err)
	}
}
