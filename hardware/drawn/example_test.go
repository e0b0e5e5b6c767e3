package drawn_test

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
)

func Example() {
	window, err := drawn.New(drawn.DefaultOptions(func() time.Time {
		return time.Date(2026, 10, 2, 14, 3, 0, 0, time.UTC)
	}))
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := window.Append("Hana", drawn.Friend, "See you at ten"); err != nil {
		fmt.Println(err)
		return
	}
	ctx := context.Background()
	capture, err := window.Capture(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	header := image.Rect(0, 0, capture.Image.Rect.Dx(), 52)
	lines, err := drawn.NewRecognizer(window).RecognizeCrop(ctx, capture.Image, header,
		hardware.Hint{Scale: capture.Scale})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, line := range lines {
		fmt.Println("title:", string(line.Text))
	}
	for _, seen := range window.Truth() {
		fmt.Println(seen.Conversation, "wrote:", string(seen.Text))
	}
	// Output:
	// title: Hana
	// Hana wrote: See you at ten
}
