package notify

import (
	"context"
	"fmt"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// NewWorker makes the constructor of workers that show notices through a
// desktop's notifier.
func NewWorker(n hardware.Notifier) func() (actors.Worker, error) {
	return func() (actors.Worker, error) {
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			show, ok := request.(messages.ShowNotice)
			if !ok {
				return nil, fmt.Errorf("notifier: want show_notice, got %s", request.MessageType())
			}
			title, body := words(show.Notice)
			if err := n.Notify(ctx, title, body); err != nil {
				return nil, actors.RefuseKnown(hardware.Code(err), err) // the desktop may be missing
			}
			return messages.NoticeShown{ID: show.Notice.ID}, nil
		}), nil
	}
}

// words returns the text of a notice.
func words(n messages.FocusNotice) (title, body string) {
	since := "Since " + n.Since.Local().Format("15:04") + ". "
	if n.State == messages.Drowsy {
		return "You look drowsy", since + "A short break or some fresh air may help."
	}
	return "Your attention has drifted", since + "Back to it, or time for a break?"
}
