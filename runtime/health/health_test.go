package health_test

import (
	"slices"
	"testing"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/health"
)

// What fails is called what it is, and no key of an actor is shown.
func TestHealthTellsWorkersFromActors(t *testing.T) {
	for actor, want := range map[messages.Address]string{
		"ocr/2": "worker 2 of the pool ocr fails again and again and is retried slowly; the log says why",
		"structure/1": "worker 1 of the pool structure fails again and again and is retried slowly; the log " +
			"says why",
		"structure/line@a": "an actor of kind structure fails again and again and is retried slowly; kehai status " +
			"names it",
		"dedup/line:花": "an actor of kind dedup fails again and again and is retried slowly; kehai status names it",
	} {
		h := health.NewMonitor(zerolog.Nop())
		h.Names.Pools = map[string]bool{"ocr": true, "structure": true}
		h.Note(events.ActorUnhealthy{Actor: actor})
		if got := h.Problems(); !slices.Equal(got, []string{want}) {
			t.Errorf("Problems(%s) = %q, want %q", actor, got, want)
		}
		h.Note(events.ActorUnhealthy{Actor: actor, Healthy: true})
		if got := h.Problems(); got != nil {
			t.Errorf("Problems(%s, healthy again) = %q, want none", actor, got)
		}
	}
}

// What waits for a key says which, and what helps, without the name of the actor.
func TestHealthTellsOfAKeyOutOfReach(t *testing.T) {
	h := health.NewMonitor(zerolog.Nop())
	h.Note(events.ActorUnhealthy{Actor: "dedup/line:花", Reason: "read inbox: 花",
		Key: "open /data/keys/ab: permission denied: give this user the right to it back"})
	want := []string{"an actor of kind dedup waits for a key: open /data/keys/ab: permission denied: give this user " +
		"the right to it back; it goes on by itself once the key can be used"}
	if got := h.Problems(); !slices.Equal(got, want) {
		t.Errorf("Problems() = %q, want %q", got, want)
	}
}

// How much was free is of the time when the pause began: space that somebody frees since is not counted.
func TestAPauseTellsWhatWasFree(t *testing.T) {
	h := health.NewMonitor(zerolog.Nop())
	h.Note(events.StoreLow{Free: 74 << 20, Need: 128 << 20})
	want := []string{"durable work is paused since only 74 MiB were free for the data directory; 128 MiB are " +
		"needed: free some space on its volume"}
	if got := h.Problems(); !slices.Equal(got, want) {
		t.Errorf("Problems() = %q, want %q", got, want)
	}
	h.Note(events.StoreRecovered{})
	if got := h.Problems(); got != nil {
		t.Errorf("Problems(recovered) = %q, want none", got)
	}
}

// What only somebody else knows is asked for each time.
func TestWhatIsWrongBeside(t *testing.T) {
	h, cut := health.NewMonitor(zerolog.Nop()), []string{"cut off"}
	h.Beside = func() []string { return slices.Clone(cut) }
	h.Set("disk", "full")
	if got, want := h.Problems(), []string{"cut off", "full"}; !slices.Equal(got, want) {
		t.Errorf("Problems() = %q, want %q", got, want)
	}
	cut = nil
	if got, want := h.Problems(), []string{"full"}; !slices.Equal(got, want) {
		t.Errorf("Problems() = %q, want %q", got, want)
	}
}

// A window in which somebody types is named with what to do about it, until its replies go out.
func TestRepliesBesideAPerson(t *testing.T) {
	h := health.NewMonitor(zerolog.Nop())
	h.Note(events.TypingState{Window: "line@a", Busy: true, Streak: 3})
	h.Note(events.TypingState{Window: "chat@a", Busy: true, Streak: 4})
	h.Note(events.TypingState{Window: "chat@a"})
	want := []string{"replies in window line@a are paused: somebody types there, or unsent text stands in the box; " +
		"send it or delete it"}
	if got := h.Problems(); !slices.Equal(got, want) {
		t.Errorf("Problems() = %q, want %q", got, want)
	}
	h.Note(events.TypingState{Window: "line@a"})
	if got := h.Problems(); got != nil {
		t.Errorf("Problems(the reply went out) = %q, want none", got)
	}
}
