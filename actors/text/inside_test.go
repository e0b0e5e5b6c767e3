package text

import (
	"testing"
	"time"
)

func TestInside(t *testing.T) {
	const w = 20 * time.Second
	for age, want := range map[time.Duration]bool{0: true, w - 1: true, w: false, w + 1: false, 1 - w: true, -w: false,
		-w - 1: false} {
		if got := Inside(age, w); got != want {
			t.Errorf("Inside(%v, %v) = %v, want %v", age, w, got, want)
		}
	}
	if Inside(0, 0) {
		t.Error("Inside(0, 0) = true, want false: a window of no length holds nothing")
	}
}
