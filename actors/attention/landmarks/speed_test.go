//go:build speed

package landmarks

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/testkit/speed"
)

func TestSpeed(t *testing.T) {
	points := facing().points(MediaPipePoints)
	w := Window{Rules: DefaultRules()}
	at := w.Last()
	frame := func() {
		f, err := Measure(points)
		if err != nil {
			t.Error(err)
		}
		at += 33_000_000
		w.Add(at, &f)
	}
	speed.Absolute(t, "a face of 478 points", 20*time.Microsecond, frame)
}
