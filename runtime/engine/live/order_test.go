package live_test

import (
	"fmt"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/engine/live"
	"github.com/kehai-run/kehai/runtime/store"
)

// orderWindow is how many messages each sender has under way: so few that the
// receivers keep up, and nothing is read from the store.
const orderWindow = 8

// BenchmarkTurnsInOrder is what it costs a receiver that gets durable and fleeting messages in one
// order. Each turn sends one of each: to the same receiver, or to two, between which there is no order.
// That one mailbox keeps the order cannot be switched off; this compares what people would do instead.
func BenchmarkTurnsInOrder(b *testing.B) {
	const senders = 8
	rates := map[string]float64{}
	for range 3 { // by turns: the machine has other things to do
		for _, c := range []struct{ name, durable, fleeting string }{
			{"one receiver", "durable", "durable"}, {"two receivers", "durable", "fleeting"},
		} {
			b.Run(c.name, func(b *testing.B) {
				b.ReportAllocs()
				before := cpuTime(b)
				n := spinOrder(b, senders, c.durable, c.fleeting)
				if b.N > 1 { // else it only tries
					rates[c.name] = max(rates[c.name], float64(n)/(cpuTime(b)-before).Seconds())
				}
				b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "turns/s")
			})
		}
	}
	one, two := rates["one receiver"], rates["two receivers"]
	fmt.Printf("\norder of durable and fleeting messages: %.0f turns per second of a processor, "+
		"without %.0f, %+.1f %%\n", one, two, 100*(one/two-1))
}

// spinOrder has senders send to receivers until b.N turns are done.
func spinOrder(b *testing.B, n int, durable, fleeting string) int {
	disk, err := store.Open(store.Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	left := make(chan struct{}, n*orderWindow)
	sender := kind("sender", func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case fleet:
			for range orderWindow {
				t.Send(t.Self(), number(m))
			}
		case number:
			t.Send(messages.To("receiver", durable+t.Self().Key()), number{1})
			t.Send(messages.To("receiver", fleeting+t.Self().Key()), fleet{1})
			if m.N > 1 {
				t.Send(t.Self(), number{m.N - 1})
			} else {
				t.Publish(glimpse{})
			}
		}
		return nil
	})
	receiver := kind("receiver", func(*actors.Turn, messages.Message) error { return nil })
	receiver.Fleeting = 1 << 20 // none is dropped
	r := start(b, disk, live.Options{Engine: engine.Options{
		Kinds: []engine.Kind{sender, receiver},
		Listener: func(p engine.Published) {
			if _, ok := p.Message.(glimpse); ok {
				left <- struct{}{}
			}
		},
	}})
	each := (b.N + n*orderWindow - 1) / (n * orderWindow)
	b.ResetTimer()
	for a := range n {
		r.inject(messages.To("sender", fmt.Sprint(a)), fleet{each})
	}
	for range n * orderWindow {
		<-left
	}
	b.StopTimer()
	r.stop()
	if err := disk.Close(); err != nil {
		b.Fatal(err)
	}
	return each * n * orderWindow
}
