//go:build crash

package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
)

// The host takes orders, which it numbers. Of each order three notes reach the
// book, each once:
//
//	desk/K   sends one at once, and in order
//	desk/K   sends another when a durable timer has fired
//	clerk/K  sends the third when a durable call has been answered
//
// The book counts the notes of each kind and publishes them with their counts. A
// subscription writes what it is told to a file.
type (
	order struct{ N int } // from outside, and then from desk to clerk
	due   struct{ N int } // a timer's
	sheet struct{ N int } // a call's
	proof struct{ N int } // its answer
	note  struct {        // to the book
		Kind string
		N    int
	}
	booked struct { // by the book
		Desk, Kind string
		N          int
		Count      int // of the notes of this desk and kind, from 1
	}
)

func (order) MessageType() messages.Type  { return messages.Type{Name: "crash_order", Version: 1} }
func (due) MessageType() messages.Type    { return messages.Type{Name: "crash_due", Version: 1} }
func (sheet) MessageType() messages.Type  { return messages.Type{Name: "crash_sheet", Version: 1} }
func (proof) MessageType() messages.Type  { return messages.Type{Name: "crash_proof", Version: 1} }
func (note) MessageType() messages.Type   { return messages.Type{Name: "crash_note", Version: 1} }
func (booked) MessageType() messages.Type { return messages.Type{Name: "crash_booked", Version: 1} }

var hostMessages = messages.Table{
	messages.Durable[order](nil).AboutNobody(), messages.Durable[due](nil).AboutNobody(),
	messages.Durable[sheet](nil).AboutNobody(), messages.Durable[proof](nil).AboutNobody(),
	messages.Durable[note](nil).AboutNobody(), messages.Durable[booked](nil).AboutNobody(),
}

// Kinds of notes.
const (
	noteOrder = "order"
	noteTimer = "timer"
	noteCall  = "call"
)

const book = messages.Address("book/all")

var counted = actors.NewTable[int]("counted")

func desk(messages.Address) actors.Actor {
	return actors.Func(func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case order:
			t.Send(book, note{noteOrder, m.N})
			t.Send(messages.To("clerk", t.Self().Key()), m)
			t.After(fmt.Sprint(m.N), time.Duration(m.N%7)*20*time.Millisecond, due(m))
		case due:
			t.Send(book, note{noteTimer, m.N})
		}
		return nil
	})
}

func clerk(messages.Address) actors.Actor {
	return actors.Func(func(t *actors.Turn, m messages.Message) error {
		switch m := m.(type) {
		case order:
			t.Call("press", sheet(m), actors.CallOptions{Deadline: 100 * time.Millisecond, Retries: 1000})
		case proof:
			t.Send(book, note{noteCall, m.N})
		case messages.CallFailed:
			return fmt.Errorf("gave up after %d attempts: %s", m.Attempts, m.Detail)
		}
		return nil
	})
}

func bookkeeper(messages.Address) actors.Actor {
	return actors.Func(func(t *actors.Turn, m messages.Message) error {
		if m, ok := m.(note); ok {
			from := t.Cause().From.Key()
			n, _ := counted.Get(t, from+" "+m.Kind)
			counted.Put(t, from+" "+m.Kind, n+1)
			t.Publish(booked{Desk: from, Kind: m.Kind, N: m.N, Count: n + 1})
		}
		return nil
	})
}

// press answers most of its calls; the others fail, panic, or never end.
func press(rng *rand.Rand) actors.Worker {
	return actors.WorkerFunc(func(ctx context.Context, m messages.Message) (messages.Message, error) {
		switch rng.IntN(30) {
		case 0:
			return nil, errors.New("no paper")
		case 1:
			panic("paper on fire")
		case 2:
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return proof(m.(sheet)), nil
	})
}

// The environment of a host.
const (
	dirEnv        = "KEHAI_CRASH_HOST" // its folder; with it, the test binary is a host
	seedEnv       = "KEHAI_CRASH_SEED"
	ordersEnv     = "KEHAI_CRASH_ORDERS" // how many a desk gets in the end
	durabilityEnv = "KEHAI_CRASH_DURABILITY"
)

// Names of the files in its folder.
const (
	seenFile  = "seen"   // what the subscription was told, a line each
	takenFile = "taken-" // one per desk: the numbers that were taken, a line each
)

// desks are the desks' keys.
var desks = []string{"north", "south"}

// host runs until a signal ends it in order, or a kill. Once it takes orders it
// writes a line to its standard output.
func host() error {
	dir := os.Getenv(dirEnv)
	seed, err := strconv.ParseUint(os.Getenv(seedEnv), 10, 64)
	if err != nil {
		return err
	}
	orders, err := strconv.Atoi(os.Getenv(ordersEnv))
	if err != nil {
		return err
	}
	cfg := runtime.Default()
	cfg.Data, cfg.Windows, cfg.Web.Enabled = filepath.Join(dir, "data"), nil, false
	cfg.Durability = config.Durability(os.Getenv(durabilityEnv))
	rng := rand.New(rand.NewPCG(seed, 1))
	rt, err := runtime.New(cfg,
		runtime.WithLogger(zerolog.New(os.Stderr).Level(zerolog.ErrorLevel)),
		runtime.WithMessages(hostMessages),
		runtime.WithActor(engine.Kind{Name: "desk", New: desk}),
		runtime.WithActor(engine.Kind{Name: "clerk", New: clerk}),
		runtime.WithActor(engine.Kind{Name: "book", New: bookkeeper}),
		runtime.WithWorker(engine.WorkerKind{Name: "press", Size: 4, New: func() (actors.Worker, error) {
			return press(rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))), nil
		}}))
	if err != nil {
		return err
	}
	seen, err := os.OpenFile(filepath.Join(dir, seenFile), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer seen.Close()
	err = rt.Subscribe("file", func(_ context.Context, ev runtime.Event) error {
		b, ok := ev.Message.(booked)
		if !ok {
			return nil
		}
		lull() // a kill may come before it is written, or before it is acknowledged
		defer lull()
		_, err := fmt.Fprintf(seen, "%d %s %s %d %d\n", ev.Seq, b.Desk, b.Kind, b.N, b.Count)
		return err
	})
	if err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	taking := make(chan error, len(desks))
	for _, d := range desks {
		go func() { taking <- takeOrders(ctx, rt, dir, d, orders) }()
	}
	err = rt.Run(ctx)
	stop()
	for range desks {
		err = errors.Join(err, <-taking)
	}
	var unfinished *runtime.Unfinished
	if errors.As(err, &unfinished) { // it goes on in the next life
		return nil
	}
	return err
}

// lull is a moment for a kill to fall into.
func lull() { <-time.After(500 * time.Microsecond) }

// takeOrders gives a desk the orders that it does not have yet. The key of an
// order is its number: one that was stored just before a kill counts once.
func takeOrders(ctx context.Context, rt *runtime.Runtime, dir, desk string, orders int) error {
	taken, err := os.OpenFile(filepath.Join(dir, takenFile+desk), os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer taken.Close()
	n, err := countLines(taken)
	if err != nil {
		return err
	}
	<-rt.Ready()
	fmt.Println("ready")
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for n++; n <= orders; n++ {
		select {
		case <-ctx.Done():
			return nil
		case <-pace.C:
		}
		err := rt.Inject(ctx, messages.To("desk", desk), order{n}, fmt.Sprint(n))
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return err
		}
		lull() // a kill may come before the host knows that it is stored
		if _, err := fmt.Fprintln(taken, n); err != nil {
			return err
		}
	}
	return nil
}
