// Package maintenance deletes what is older than its retention while a runtime runs, and sees that what was
// deleted leaves the store's files. The main type is [Loop], which every runtime has: package bare runs it
// as it is, package admin adds what only a Kehai knows. Package follow says which events stay for their
// readers.
package maintenance

import (
	"context"
	"errors"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/follow"
)

// every is how often old records are deleted and the store is compacted; purgeEvery is how often what
// was deleted leaves the store's files.
const (
	every      = time.Hour
	purgeEvery = 24 * time.Hour
)

// Retention says how long records are kept: what is older is deleted, when the runtime starts and then
// every hour, and leaves the files of the store within a day more. 0 means for ever.
type Retention struct {
	// Events are kept in any case until each subscription of this program has acknowledged them.
	Events      time.Duration
	Verdicts    time.Duration // which say what became of messages
	DeadLetters time.Duration
	Injections  time.Duration // keys: an injection that is repeated later counts again
}

func (r Retention) cutoffs(now time.Time) engine.Cutoffs {
	return engine.Cutoffs{Events: Before(now, r.Events), Verdicts: Before(now, r.Verdicts),
		DeadLetters: Before(now, r.DeadLetters), Injections: Before(now, r.Injections)}
}

// Before is the time before which nothing is kept; the zero time if all is.
func Before(now time.Time, keep time.Duration) time.Time {
	if keep <= 0 {
		return time.Time{}
	}
	return now.Add(-keep)
}

// Loop is what is done again and again. All fields without a comment must be set.
type Loop struct {
	Disk Disk
	Log  zerolog.Logger
	Keep Retention
	// Readers returns the subscriptions that run, and how they are served.
	Readers func() (follow.Served, follow.Options, error)
	// Also is what else is done each hour, after the deleting.
	Also []Task
}

// Task is a part of a round.
type Task struct {
	Failed string // the name of the log line that tells its error
	Do     func(ctx context.Context, now time.Time) error
}

// Run works at once and every hour until ctx ends. A failure is logged; the next round tries again.
func (l Loop) Run(ctx context.Context) error {
	try := func(what string, err error) bool {
		if err != nil && ctx.Err() == nil {
			l.Log.Warn().Err(err).Msg(what)
		}
		return err == nil
	}
	tasks := append([]Task{{Failed: "trim_failed", Do: l.trim}}, l.Also...)
	var purged time.Time
	for {
		// First what an earlier run left, or yesterday's trimming: what actors are asked
		// to delete now is purged tomorrow.
		now := time.Now().Round(0) // by the calendar, which goes on while the machine sleeps, and may be set back
		if now.Sub(purged).Abs() >= purgeEvery && try("purge_failed", l.purge(ctx)) {
			purged = now
		}
		for _, t := range tasks {
			try(t.Failed, t.Do(ctx, time.Now()))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		try("compact_failed", l.Disk.Compact(ctx))
	}
}

// trim deletes what is too old.
func (l Loop) trim(ctx context.Context, now time.Time) error {
	served, o, err := l.Readers()
	if err != nil {
		return err
	}
	n, err := served.Trim(ctx, l.Keep.cutoffs(now), o)
	if n > 0 {
		err = errors.Join(err, l.Disk.PurgeLater())
	}
	return err
}

// purge removes from the files what was deleted, and says whether any is left.
func (l Loop) purge(ctx context.Context) error {
	began := time.Now()
	gone, err := l.Disk.Purge(ctx)
	switch {
	case err != nil:
	case gone:
		l.Log.Info().Dur("took", time.Since(began)).Msg("purged") // none of it is in the files
	default:
		l.Log.Info().Str("mend", "the next start goes on").Msg("purge_unfinished")
	}
	return err
}
