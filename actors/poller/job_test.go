package poller

import (
	"testing"
	"time"
)

func TestJobRestsLongerEachTime(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o, j := DefaultOptions(), job{}
	for n, rest := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 8 * time.Second} {
		j.stage = reading
		if j.failed(false, at, o) {
			t.Fatalf("failed() = true after %d failures, want it after %d", n+1, o.Tries)
		}
		if j.ready(at.Add(rest-1)) || !j.ready(at.Add(rest)) {
			t.Errorf("after %d failures: may be read again at another time than after %v", n+1, rest)
		}
	}
	if !j.failed(false, at, o) {
		t.Errorf("failed() = false after %d failures, want true", o.Tries)
	}
}

func TestRefusalsAreNotCounted(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	o, j := DefaultOptions(), job{}
	for range 100 {
		if j.failed(true, at, o) {
			t.Fatal("failed(refused) = true, want false however often")
		}
	}
	if j.ready(at.Add(30*time.Second-1)) || !j.ready(at.Add(30*time.Second)) {
		t.Error("after 100 refusals: may be read again at another time than after 30 s")
	}
}
