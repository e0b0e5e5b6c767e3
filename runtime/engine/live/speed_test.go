//go:build speed

package live_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/kehai-run/kehai/testkit/speed"
)

// TestSpeedPingPong measures both sides by turns. It fails nobody: how two schedulers share
// two processors differs between two runs by more than half of the figure.
func TestSpeedPingPong(t *testing.T) {
	benchFor(t, "200ms")
	const turns = 5
	var ours, peer [turns]float64 // messages a second
	for i := range turns {
		for side, run := range map[*float64]func(*testing.B) int64{&ours[i]: pingKehai, &peer[i]: pingProto} {
			var messages int64
			r := testing.Benchmark(func(b *testing.B) { messages = run(b) })
			*side = float64(messages) / r.T.Seconds()
		}
	}
	slices.Sort(ours[:])
	slices.Sort(peer[:])
	fast, slow := ours[turns/2], peer[turns/2]
	speed.Report(t, speed.Figure{Name: "fleeting ping-pong of 8 actors", Ours: fmt.Sprintf("%.0f/s", fast),
		Limit: fmt.Sprintf("protoactor %.0f/s", slow), Ratio: fast / slow, Aim: 2, AtLeast: true,
		Timed: true})
}
