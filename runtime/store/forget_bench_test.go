package store_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
)

// resting is a driver under which no actor runs.
type resting struct{}

func (resting) Wake(*engine.Activation) {}
func (resting) WakeWorkers(string)      {}

// forgetLimit is how long a commit may wait while a conversation is forgotten, on a
// machine that has nothing else to do.
const forgetLimit = 50 * time.Millisecond

// BenchmarkForget forgets one conversation of twenty, of a store with a million
// events, or as many as KEHAI_EVENTS says, while somebody commits. Its figures are the
// waits of those commits, without a deletion and with one, and how long it all took. The
// purge may use more of Go's processors, as kehai lets it.
func BenchmarkForget(b *testing.B) {
	events := 1_000_000
	if n, err := strconv.Atoi(os.Getenv("KEHAI_EVENTS")); err == nil {
		events = n
	}
	s := open(b, store.Options{Dir: b.TempDir()})
	defer s.Close()
	ring := keyring.Memory(nil)
	fillEvents(b, s, ring, events)
	codec, err := messages.NewCodec(messages.Core())
	if err != nil {
		b.Fatal(err)
	}
	e, err := engine.New(engine.Options{Store: s, Sealer: ring, Codec: codec, Clock: engine.SystemClock{},
		Driver: resting{}, Kinds: []engine.Kind{
			{Name: "conversation", New: func(messages.Address) actors.Actor { return nil }},
		}})
	if err == nil {
		err = e.Control().Recover()
	}
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var all sync.WaitGroup
	all.Go(func() {
		for c := e.Control(); ctx.Err() == nil; {
			if took, _ := c.Commit(512); took > 0 {
				continue
			}
			select {
			case <-ctx.Done():
			case <-c.CommitReady():
			}
		}
	})
	var phase atomic.Int32
	var waits [3][]time.Duration
	all.Go(func() {
		for n := 0; ctx.Err() == nil; n++ {
			began := time.Now()
			err := e.Inject(ctx, "conversation/others", messages.TranscriptGap{Conversation: "others"}, "")
			if err != nil && ctx.Err() == nil {
				b.Error(err)
				return
			}
			at := phase.Load()
			waits[at] = append(waits[at], time.Since(began))
			select { // as a chat that is watched, and more
			case <-ctx.Done():
			case <-time.After(2 * time.Millisecond):
			}
		}
	})
	<-time.After(3 * time.Second)
	phase.Store(1)
	began := time.Now()
	sum, err := e.Forget(ctx, engine.Forgetting{Conversation: "c-7"})
	took := time.Since(began)
	if err != nil || sum.Events != events/20 {
		b.Errorf("Forget() = %+v, %v, want %d events", sum, err, events/20)
	}
	phase.Store(2)
	began = time.Now()
	if err := s.PurgeLater(); err != nil {
		b.Fatal(err)
	}
	if _, err := datadir.Crowded(s).Purge(ctx); err != nil {
		b.Fatal(err)
	}
	purged := time.Since(began)
	stop()
	all.Wait()
	for at, name := range []string{"before", "forget", "purge"} {
		slices.Sort(waits[at])
		n := len(waits[at])
		b.ReportMetric(float64(waits[at][n-1].Microseconds())/1000, "ms-most/"+name)
		b.Log(name, n, "commits, the longest", waits[at][max(0, n-5):], "99 of 100 within", waits[at][n*99/100])
		b.ReportMetric(float64(waits[at][n*99/100].Microseconds())/1000, "ms-p99/"+name)
	}
	b.ReportMetric(took.Seconds(), "s/forget")
	b.ReportMetric(purged.Seconds(), "s/purge")
	b.ReportMetric(float64(forgetLimit.Milliseconds()), "ms-aim/forget")
}

// fillEvents stores events of twenty conversations, as the kernel does.
func fillEvents(b *testing.B, s *store.Store, ring engine.Sealer, n int) {
	b.Helper()
	mark, err := ring.Seal([]byte{}, "", []byte("m/sealed"), []byte(`kehai 3 {"kinds":[]}`))
	if err != nil {
		b.Fatal(err)
	}
	ops := []engine.Op{{Key: []byte("m/format"), Value: []byte("3")}, {Key: []byte("m/sealed"), Value: mark},
		{Key: []byte("m/seq"), Value: binary.BigEndian.AppendUint64(nil, uint64(n))}}
	for i := range n {
		who := fmt.Sprint("c-", i%20)
		sealed, err := ring.Seal([]byte("\x00ks\x01"), who, []byte("e/"), fmt.Appendf(nil,
			`{"from":"conversation/%s","at":"2026-01-01T00:00:00Z","msg":{"type":"transcript_gap","v":1,"body":`+
				`{"conversation":"%s","reason":"words that were said in it some time ago, number %d"}}}`, who, who, i))
		if err != nil {
			b.Fatal(err)
		}
		ops = append(ops, engine.Op{Key: binary.BigEndian.AppendUint64([]byte("e/"), uint64(i+1)), Value: sealed})
		if len(ops) >= 1000 || i == n-1 {
			if err := s.Apply(ops, false); err != nil {
				b.Fatal(err)
			}
			ops = ops[:0]
		}
	}
}
