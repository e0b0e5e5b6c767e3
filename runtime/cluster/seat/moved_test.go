package seat

import (
	"testing"

	"github.com/kehai-run/kehai/runtime/store/mem"
)

// A machine that wakes up with another address is found again, because it greets the members that it knows.
func TestWakesElsewhere(t *testing.T) {
	a, keysA := founder(t)
	_, data := admitted(t, a)
	b, keysB := opened(t, Options{Data: data, Node: "mac-b", Listen: free(t)})
	if _, _, err := a.Start(mem.New(), nil, keysA, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if _, _, err := b.Start(mem.New(), nil, keysB, func(err error) { t.Error(err) }); err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	b.round(t.Context())
	if err := a.greet(t.Context(), "mac-b"); err != nil {
		t.Fatalf("greet, at the first address = %v", err)
	}
	asleep := b.wires.Addr().String()
	b.o.Listen = free(t)
	if err := b.follow(); err != nil || b.wires.Addr().String() == asleep {
		t.Fatalf("follow = %v, at %s, want another address", err, b.wires.Addr())
	}
	a.wires.Sweep() // as after a sleep: nothing is connected
	if err := a.greet(t.Context(), "mac-b"); err == nil {
		t.Error("it is found before it has said where it is: this test shows nothing")
	}
	b.round(t.Context())
	if err := a.greet(t.Context(), "mac-b"); err != nil {
		t.Errorf("greet, at the next address = %v", err)
	}
}
