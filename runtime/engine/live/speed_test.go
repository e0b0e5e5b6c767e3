//go:build speed

package live_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/store"
	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeedPingPong compares processor time: how two schedulers share two processors differs
// between two runs by more than half of the figure.
func TestSpeedPingPong(t *testing.T) {
	const messages = "262144x"
	ours, peer := byTurns(t, side{messages, pingKehai}, side{messages, pingProto})
	report(t, "fleeting ping-pong of 8 actors, processor", "protoactor", 2, ours.cpu, peer.cpu, false)
	report(t, "fleeting ping-pong of 8 actors, time of day", "protoactor", 2, ours.wall, peer.wall, true)
}

// TestSpeedTurns compares processor time. Nothing is synced, so it is what limits both, and unlike
// the time of day it is the same on a busy machine. The time of day is told too.
func TestSpeedTurns(t *testing.T) {
	const actors, events = 64, "65536x"
	ours, peer := byTurns(t,
		side{events, func(b *testing.B) int64 { return benchTurns(b, false, actors) }},
		side{events, func(b *testing.B) int64 { return benchPersisted(b, false, actors) }})
	report(t, "durable turns of 64 actors, process, processor", "protoactor's persistence", 1.2, ours.cpu, peer.cpu,
		false)
	report(t, "durable turns of 64 actors, process, time of day", "protoactor's persistence", 1.2, ours.wall,
		peer.wall, true)
}

// TestSpeedSealedTurns compares processor time with and without the sealing of the two rows of a turn.
func TestSpeedSealedTurns(t *testing.T) {
	const actors, events = 64, "131072x"
	keys, err := keyring.Open(filepath.Join(t.TempDir(), "keys"))
	if err != nil {
		t.Fatal(err)
	}
	turns := func(keys engine.Sealer) side {
		return side{events, func(b *testing.B) int64 { return spinTurns(b, store.Options{}, false, actors, keys) }}
	}
	sealed, plain := byTurns(t, turns(keys), turns(nil))
	speed.Report(t, speed.Figure{Name: "sealed durable turns of 64 actors, process, processor",
		Ours: speed.Took(sealed.cpu), Limit: "unsealed " + speed.Took(plain.cpu),
		Ratio: sealed.cpu / plain.cpu, Aim: 1.1})
}

// TestSpeedSyncedTurns compares the time of day, most of which goes by while the disk syncs. The
// peer syncs each event by itself, so that few of them tell.
func TestSpeedSyncedTurns(t *testing.T) {
	const actors = 64
	// Where the peer takes less, as on a disk in memory, there is hardly a sync to wait for.
	const noDisk = 100 * time.Microsecond
	ours, peer := byTurns(t,
		side{"32768x", func(b *testing.B) int64 { return benchTurns(b, true, actors) }},
		side{"256x", func(b *testing.B) int64 { return spinPersisted(b, true, actors, 1) }})
	speed.Report(t, speed.Figure{Name: "durable turns of 64 actors, power", Ours: speed.Took(ours.wall),
		Limit: "protoactor's persistence " + speed.Took(peer.wall), Ratio: peer.wall / ours.wall, Aim: 15,
		AtLeast: true, Timed: peer.wall < float64(noDisk)}) // the usual slack: the disk decides
}

// report fails where a figure of processor time falls back to what it was before work on it began.
func report(t *testing.T, name, against string, aim, ours, peer float64, timed bool) {
	t.Helper()
	speed.Report(t, speed.Figure{Name: name, Ours: speed.Took(ours), Limit: against + " " + speed.Took(peer),
		Ratio: peer / ours, Aim: aim, AtLeast: true, Slack: 1.25, Timed: timed})
}

// side runs for a time, or a number of events, and returns how many it really were.
type side struct {
	long string
	run  func(*testing.B) int64
}

// cost is what one event takes, in nanoseconds.
type cost struct{ wall, cpu float64 }

// byTurns measures both sides alternately, and returns the medians.
func byTurns(t *testing.T, ours, peer side) (cost, cost) {
	t.Helper()
	const turns = 5
	var wall, cpu [2][turns]float64
	for n := range turns {
		for i, s := range []side{ours, peer} {
			benchFor(t, s.long)
			var events, spent float64
			r := testing.Benchmark(func(b *testing.B) {
				before := cpuTime(b)
				events = float64(s.run(b))
				spent = float64(cpuTime(b) - before)
			})
			wall[i][n], cpu[i][n] = float64(r.T)/events, spent/events
		}
	}
	median := func(i int) cost {
		slices.Sort(wall[i][:])
		slices.Sort(cpu[i][:])
		return cost{wall[i][turns/2], cpu[i][turns/2]}
	}
	return median(0), median(1)
}
