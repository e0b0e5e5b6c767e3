package engine_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// sized notes how many bytes of values each batch has.
type sized struct {
	engine.Store
	batches []int
}

func (s *sized) Apply(ops []engine.Op, sync bool) error {
	n := 0
	for _, op := range ops {
		n += len(op.Value)
	}
	s.batches = append(s.batches, n)
	return s.Store.Apply(ops, sync)
}

// Many large messages that wait at once are written in several batches: together
// they are more than the store takes.
func TestABatchIsBoundedInBytes(t *testing.T) {
	disk := &sized{Store: mem.New()}
	codec, err := messages.NewCodec(messages.Core(), messages.Table{messages.Durable[diary](nil)})
	if err != nil {
		t.Fatal(err)
	}
	e, err := engine.New(engine.Options{Store: disk, Codec: codec, Clock: engine.SystemClock{}, Driver: still{},
		Kinds: []engine.Kind{
			{Name: "archive", New: func(messages.Address) actors.Actor { return nil }},
		}})
	if err != nil {
		t.Fatal(err)
	}
	const many, large = 200, 64 << 10
	var stored []<-chan error
	for range many {
		done, err := e.Post("", "archive/all", diary{"line:Hana", messages.Text(strings.Repeat("x", large))},
			"")
		if err != nil {
			t.Fatal(err)
		}
		stored = append(stored, done)
	}
	for {
		if n, _ := e.Control().Commit(many); n == 0 {
			break
		}
	}
	for _, done := range stored {
		if err := <-done; err != nil {
			t.Fatalf("a message was not stored: %v", err)
		}
	}
	if n := slices.Max(disk.batches); n > 1<<20 || len(disk.batches) > many/2 {
		t.Errorf("%d batches, the largest of %d bytes, want a few of at most 1 MiB", len(disk.batches), n)
	}
}

// What is written past the committer's transaction would be missing wherever else
// its batches are applied.
func TestTheStoreIsWrittenInOnePlace(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var places []string
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(raw), "store.Apply("); n > 0 && !strings.HasSuffix(file, "_test.go") {
			places = append(places, fmt.Sprint(n, " in ", file))
		}
	}
	if got := strings.Join(places, ", "); got != "1 in commit.go, 1 in replica.go" {
		t.Errorf("the store is written %s, want 1 in commit.go and 1 in replica.go: make a batch of it", got)
	}
}
