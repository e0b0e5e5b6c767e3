package admin

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/maintenance"
	"github.com/kehai-run/kehai/runtime/names"
	"github.com/kehai-run/kehai/runtime/pause"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/runtime/snapshot"
	"github.com/kehai-run/kehai/runtime/telemetry"
	"github.com/kehai-run/kehai/runtime/web"
)

// Backend answers what can be asked of a Kehai, whether its actors run or not. Its
// methods may be called concurrently and at any time: without an engine they
// return the error that says why.
type Backend struct {
	Config config.Config
	Engine func() (*engine.Engine, error) // of the store, or why there is none now
	Disk   func() maintenance.Disk        // of the same store
	Pauses *pause.State
	Log    zerolog.Logger  // the zero value logs nothing
	Names  telemetry.Names // in the log
	Book   *names.Book     // of the conversations
	Live   *Live           // nil where no actors run
	Memory *recall.Library // of what is remembered
	Talks  *Talks          // who waits for news of a conversation
	Debug  *datadir.Debug  // the debugging files
	Drawn  *drivers.Drawn  // the windows that Kehai draws
	Keys   *web.Sessions   // of the page

	HashKey []byte // of hashes in the log; read when the store is open
}

// What control and the page find out by asking what a backend can do. One that it could not any
// more would be missing without a word.
var _ interface {
	control.Backend
	control.BackupBackend
	control.ClusterBackend
	control.FocusBackend
	control.MemoryBackend
	control.PageBackend
	control.RecordBackend
	control.ReplyBackend
	control.ShutBackend
	control.TalkBackend
} = Backend{}

// Live is what only a running Kehai can tell and do.
type Live struct {
	Played   bool // in virtual time, without the kernel of a run: rows need no secret keys
	Status   func() control.Status
	Problems func() []string // what is wrong now
	Seen     *snapshot.Windows
	Forget   func()                   // drops everything in memory that was on the screen
	Served   func() map[string]string // subscriptions, and why each does not go on
	Retried  func()                   // parked events were sent again
	Trouble  func(reason, text string)
	Cluster  Cluster // nil: this machine is alone
	Taps     *recording.Taps
	Reread   func() // drops what was read: it is read again
	// Page is the live page, nil while there is none.
	Page func() *web.Server
}

// Status implements [control.Backend].
func (b Backend) Status(ctx context.Context) (control.Status, error) {
	if b.Live != nil {
		return b.Live.Status(), nil
	}
	dead, err := b.DeadLetters(ctx)
	return control.Status{
		Node: b.Config.Node, Paused: b.Pauses.List(), AttentionPaused: b.Pauses.DeskStamp(),
		SendingPaused: b.Pauses.SendingStamp(),
		DeadLetters:   len(dead),
		Actors:        []engine.ActorInfo{}, Pools: []engine.PoolInfo{},
	}, err
}

// DeadLetters implements [control.Backend].
func (b Backend) DeadLetters(context.Context) ([]engine.DeadLetter, error) {
	e, err := b.Engine()
	if err != nil {
		return nil, err
	}
	return e.DeadLetters()
}

// RetryDeadLetter implements [control.Backend].
func (b Backend) RetryDeadLetter(ctx context.Context, id string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	if err := e.RetryDeadLetter(ctx, id); err != nil {
		return err
	}
	if b.Live != nil {
		b.Live.Retried()
	}
	return nil
}

// DiscardDeadLetter implements [control.Backend].
func (b Backend) DiscardDeadLetter(ctx context.Context, id string) error {
	e, err := b.Engine()
	if err != nil {
		return err
	}
	return e.DiscardDeadLetter(ctx, id)
}

// Describe adds what the store tells to the status of a running Kehai.
func (b Backend) Describe(s *control.Status) {
	failed := func(err error) {
		if err != nil {
			s.Problems = append(s.Problems, err.Error())
		}
	}
	s.Paused, s.AttentionPaused = b.Pauses.List(), b.Pauses.DeskStamp()
	s.SendingPaused = b.Pauses.SendingStamp()
	held, err := b.Held(context.Background())
	failed(err)
	s.Held = len(held)
	e, err := b.Engine()
	if err != nil {
		failed(err)
		return
	}
	s.Stalled, err = stalled(e, time.Now())
	failed(err)
	dead, err := e.DeadLetters()
	failed(err)
	s.DeadLetters = len(dead)
}
