package hardware

import (
	"context"
	"time"
)

// Pause waits for d, as drivers do between key presses. It returns the error of
// ctx if that ends first.
func Pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
