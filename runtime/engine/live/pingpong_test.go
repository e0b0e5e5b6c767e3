package live_test

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// players is how many actors play, two and two.
const players = 8

// BenchmarkTurnsPingPong has pairs of actors send each other a fleeting message, to
// and fro: Kehai's, and protoactor's as they come.
func BenchmarkTurnsPingPong(b *testing.B) {
	rates := map[string]float64{}
	for name, run := range map[string]func(*testing.B) int64{"kehai": pingKehai, "protoactor": pingProto} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			rates[name] = float64(run(b)) / b.Elapsed().Seconds()
			b.ReportMetric(rates[name], "messages/s")
		})
	}
	fmt.Printf("\nfleeting ping-pong of %d actors: %.0f/s, protoactor %.0f/s, × %.2f\n", players, rates["kehai"],
		rates["protoactor"], rates["kehai"]/rates["protoactor"])
}

// ball goes to and fro Left times more.
type ball struct{ Left int }

func (ball) MessageType() messages.Type { return messages.Type{Name: "test_ball", Version: 1} }

func pingKehai(b *testing.B) int64 {
	var done, ended atomic.Int64
	finished := make(chan struct{})
	player := kind("player", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case ball:
			done.Add(1)
			to := t.Cause().From
			if to == "" {
				to = t.Self() + "b"
			}
			if m.Left > 0 {
				t.Send(to, ball{m.Left - 1})
			} else if ended.Add(1) == players/2 {
				close(finished)
			}
		}
		return nil
	})
	r := start(b, mem.New(), live.Options{Engine: engine.Options{Kinds: []engine.Kind{player}}})
	b.ResetTimer()
	for n := range players / 2 {
		r.inject(messages.To("player", fmt.Sprint(n)), ball{b.N / (players / 2)})
	}
	<-finished
	b.StopTimer()
	r.stop()
	return done.Load()
}

func pingProto(b *testing.B) int64 {
	var done, ended atomic.Int64
	finished := make(chan struct{})
	system := quietSystem()
	spawn := func() *actor.PID {
		return system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			m, ok := ctx.Message().(*hit)
			if !ok {
				return
			}
			done.Add(1)
			if m.left > 0 {
				ctx.Send(m.from, &hit{ctx.Self(), m.left - 1})
			} else if ended.Add(1) == players/2 {
				close(finished)
			}
		}))
	}
	b.ResetTimer()
	for range players / 2 {
		system.Root.Send(spawn(), &hit{spawn(), b.N / (players / 2)})
	}
	<-finished
	b.StopTimer()
	return done.Load()
}

// hit is protoactor's ball.
type hit struct {
	from *actor.PID
	left int
}
