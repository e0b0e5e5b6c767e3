//go:build speed

package attention_test

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/speed"
)

func TestSpeed(t *testing.T) {
	r := rules(attention.ProfileDefault)
	l := attention.Look{Camera: camera(), Usage: usage()}
	judge := func() {
		if s, _ := r.Judge(l); s.State != messages.Focused {
			t.Errorf("Judge() = %v, want focused", s.State)
		}
	}
	speed.Absolute(t, "rules judge attention", time.Microsecond, judge)
	if n := testing.AllocsPerRun(100, judge); n != 0 {
		t.Errorf("Judge() = %v allocations, want none", n)
	}
}
