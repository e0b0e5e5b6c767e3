package maintenance

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/follow"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// book is a disk that notes what is asked of it.
type book struct {
	left    bool        // bytes of what was deleted
	purged  []time.Time // when there were such
	compact int
	failing int // so often it does first
}

func (b *book) Compact(context.Context) error { b.compact++; return nil }
func (b *book) PurgeLater() error             { b.left = true; return nil }
func (b *book) Purge(context.Context) (bool, error) {
	if b.left && b.failing > 0 {
		b.failing--
		return false, errors.New("the disk fails")
	}
	if b.left {
		b.purged = append(b.purged, time.Now())
	}
	b.left = false
	return true, nil
}

// What is deleted leaves the files within a day more; a day without anything to delete purges nothing.
func TestPurgeOnceADay(t *testing.T) { purge(t, 0, 24*time.Hour) }

// A purge that fails is tried again an hour later, not a day.
func TestAFailedPurgeIsTriedAgain(t *testing.T) { purge(t, 2, 26*time.Hour) }

func purge(t *testing.T, failing int, after time.Duration) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		began, store, disk := time.Now(), mem.New(), &book{failing: failing}
		codec, err := messages.NewCodec(events.Core())
		if err != nil {
			t.Fatal(err)
		}
		sys, err := live.New(live.Options{Log: zerolog.Nop(),
			Engine: engine.Options{Store: store, Codec: codec, Clock: engine.SystemClock{}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := sys.Start(); err != nil {
			t.Fatal(err)
		}
		value := []byte(`{"at":"` + began.Format(time.RFC3339) + `"}`)
		row := engine.Op{Key: []byte("k/purse/mine\x00once"), Value: value}
		if err := store.Apply([]engine.Op{row}, true); err != nil {
			t.Fatal(err)
		}
		ctx, end := context.WithCancel(t.Context())
		ended, also := make(chan error, 1), 0
		go func() {
			ended <- Loop{Disk: disk, Log: zerolog.Nop(), Keep: Retention{Injections: 90 * time.Minute},
				Readers: func() (follow.Served, follow.Options, error) {
					return nil, follow.Options{Engine: sys.Engine()}, nil
				},
				Also: []Task{{Do: func(context.Context, time.Time) error { also++; return nil }}},
			}.Run(ctx)
		}()
		<-time.After(71*time.Hour + time.Minute)
		end()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if _, there, err := store.Get(row.Key); there || err != nil {
			t.Errorf("the old row is there: %v, %v, want it deleted", there, err)
		}
		if n := len(disk.purged); n != 1 || disk.purged[0].Sub(began) != after {
			t.Errorf("%d purges, at %v since %v, want one after %v", n, disk.purged, began, after)
		}
		if disk.compact != 71 || also != 72 {
			t.Errorf("the store was compacted %d times, and the rest done %d times, want 71 and 72", disk.compact, also)
		}
		sys.Stop(context.Background())
	})
}
