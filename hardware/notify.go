package hardware

import "context"

// Notifier shows notices on the desktop.
type Notifier interface {
	// Notify shows one notice. It returns once the desktop has accepted it, which
	// does not mean that somebody has read it.
	Notify(ctx context.Context, title, body string) error
}
