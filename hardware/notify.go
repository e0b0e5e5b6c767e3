package hardware

import "context"

// Notifier shows notices on the desktop.
type Notifier interface {
	// Notify shows one notice and returns once the desktop has taken it, not once
	// somebody has read it.
	Notify(ctx context.Context, title, body string) error
}
