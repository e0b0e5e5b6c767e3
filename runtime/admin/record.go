package admin

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
	"github.com/kehai-run/kehai/runtime/recording"
)

// StartRecording implements [control.RecordBackend]. What the window shows now is read once more, so
// that the recording has it.
func (b Backend) StartRecording(ctx context.Context, q control.RecordQuery) (control.Recording, error) {
	if b.Live == nil {
		return control.Recording{}, control.ErrIdle
	}
	e, err := b.Engine()
	if err != nil {
		return control.Recording{}, err
	}
	if q.Window == "" {
		return control.Recording{}, fmt.Errorf("%w: say which window", control.ErrNoWindow)
	}
	id, err := FindWindow(b.Config, q.Window)
	if err != nil {
		return control.Recording{}, err
	}
	if q.Path == "" {
		if q.Path, err = RecordingPath(b.Config, time.Now()); err != nil {
			return control.Recording{}, err
		}
	}
	name := strings.TrimSuffix(string(id), "@"+b.Config.Node)
	state, err := b.Live.Taps.Start(recording.Options{Path: q.Path, Windows: []string{name}, Limit: q.Limit, For: q.For,
		Version: b.Live.Status().Version})
	if err != nil {
		return control.Recording{}, err
	}
	b.Live.Reread()
	poller := messages.To(messages.ActorPoller, string(id))
	if err := e.Inject(ctx, poller, messages.ReadAgain{Window: id}, ""); err != nil {
		_, bad := b.Live.Taps.Stop()
		return control.Recording{}, errors.Join(fmt.Errorf("admin: have the window read again: %w", err), bad)
	}
	return *RecordingOf(state), nil
}

// StopRecording implements [control.RecordBackend].
func (b Backend) StopRecording(context.Context) (control.Recording, error) {
	if b.Live == nil {
		return control.Recording{}, control.ErrIdle
	}
	s, err := b.Live.Taps.Stop()
	return *RecordingOf(s), err
}

// RecordingOf tells what a recorder does.
func RecordingOf(s recording.State) *control.Recording {
	return &control.Recording{Path: s.Path, Windows: s.Windows, Since: control.Stamp{Time: s.Since}, Bytes: s.Bytes,
		Limit: s.Limit}
}

// RecordingPath is where a recording goes if nobody says it, in a folder that it makes.
func RecordingPath(cfg config.Config, now time.Time) (string, error) {
	if err := private.Make(cfg.Data, private.Unwritable); err != nil {
		return "", err
	}
	dir, err := filepath.Abs(filepath.Join(cfg.Data, "recordings"))
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, now.UTC().Format("20060102T150405Z")+".flight"), private.Make(dir, private.Closed)
}
