package script_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/drawn/script"
)

func Example() {
	chat, err := script.Parse(strings.NewReader(`
# A friend asks twice.
{"at_ms":0,"who":"friend","text":"Are you there?","conversation":"Hana"}
{"at_ms":4000,"who":"friend","text":"Hello?"}
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	now := time.Date(2026, 10, 2, 14, 0, 0, 0, time.UTC)
	o := drawn.DefaultOptions(func() time.Time { return now })
	o.Conversation = chat.Conversation()
	window, err := drawn.New(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	player, err := script.Play(window, chat, script.Options{Speed: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	for !player.Stats().Done {
		if _, err := window.Capture(context.Background()); err != nil {
			fmt.Println(err)
			return
		}
		now = now.Add(time.Second)
	}
	for _, seen := range window.Truth() {
		fmt.Println(seen.At.Format("15:04:05"), seen.Conversation, string(seen.Text))
	}
	// Output:
	// 14:00:00 Hana Are you there?
	// 14:00:02 Hana Hello?
}

func ExampleScript_Write() {
	chat, err := script.Parse(strings.NewReader(`{"do":"scroll", "by":200, "at_ms":1500}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := chat.Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {"at_ms":1500,"do":"scroll","by":200}
}
