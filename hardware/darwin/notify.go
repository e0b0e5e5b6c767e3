package darwin

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// Notifier shows notices through the system's own osascript. The framework for
// notices (UserNotifications) works only for programs in a signed bundle and ends
// any other program. So notices appear as those of Script Editor, and the person
// decides about them there (see [AllowNotices]); no program can read that. Methods may be called concurrently.
type Notifier struct {
	command string // osascript
}

var _ hardware.Notifier = (*Notifier)(nil)

// OpenNotifier returns the notifier of this system.
func OpenNotifier() (*Notifier, error) {
	if _, err := load(); err != nil {
		return nil, err
	}
	return &Notifier{command: "/usr/bin/osascript"}, nil
}

// AllowNotices is how a person allows them: the settings list Script Editor only once a script has
// shown a notice inside it.
const AllowNotices = "open Script Editor, run: display notification \"hi\", and allow its notifications"

// notice is the whole script. The texts are passed as arguments, never as part of
// it.
const notice = `on run argv
	display notification (item 2 of argv) with title (item 1 of argv)
end run
`

// Notify implements [hardware.Notifier].
func (n *Notifier) Notify(ctx context.Context, title, body string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	// "-" reads the script from standard input; what follows is not parsed.
	cmd := exec.CommandContext(ctx, n.command, "-", title, body)
	cmd.Stdin = strings.NewReader(notice)
	cmd.Env = hardware.ChildEnv(os.Environ())
	var said bytes.Buffer
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("darwin: osascript did not show a notice ("+AllowNotices+
			"; or set focus.notify to none): %w%s: %w",
			err, complaint(said.String()), hardware.ErrUnavailable)
	}
	return nil
}

// complaint is what a program's error output begins with, short enough for a log.
func complaint(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return ""
	}
	const most = 200
	if r := []rune(line); len(r) > most {
		line = string(r[:most]) + "…"
	}
	return ": " + line
}
