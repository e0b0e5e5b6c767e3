package engine_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// In the simulated cluster each node has a gate, which is bound to it. Parcels are put into
// the gates from outside; a gate sends each to a ledger, which any node may own. The ledger
// books it, has it stamped by a worker, sends it on to the archive, and sends the gate a
// receipt, which the gate signs for the archive.
type (
	put     struct{ N int }
	parcel  struct{ From, N int }
	stamped struct{ From, N int }
	receipt struct{ N int }
	signed  struct{ From, N int }
)

func (put) MessageType() messages.Type     { return messages.Type{Name: "test_put", Version: 1} }
func (parcel) MessageType() messages.Type  { return messages.Type{Name: "test_parcel", Version: 1} }
func (stamped) MessageType() messages.Type { return messages.Type{Name: "test_stamped", Version: 1} }
func (receipt) MessageType() messages.Type { return messages.Type{Name: "test_receipt", Version: 1} }
func (signed) MessageType() messages.Type  { return messages.Type{Name: "test_signed", Version: 1} }

var clusterMessages = messages.Table{
	messages.Durable[put](nil).AboutNobody(), messages.Durable[parcel](nil).AboutNobody(),
	messages.Durable[stamped](nil).AboutNobody(), messages.Durable[receipt](nil).AboutNobody(),
	messages.Durable[signed](nil).AboutNobody(),
}

var (
	booked   = actors.NewTable[[]parcel]("booked")
	came     = actors.NewTable[[]parcel]("came")
	handedIn = actors.NewTable[[]int]("handed_in")
	receipts = actors.NewTable[[]int]("receipts")
	signings = actors.NewTable[[]parcel]("signings")
)

const clusterLedgers = 3

func gateOf(node int) messages.Address {
	return messages.Address("gate/line@" + nodeName(node))
}

func nodeName(node int) string { return "mac-" + strconv.Itoa(node) }

// gateActor is bound to its node.
type gateActor struct{ node int }

func (g gateActor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case put:
		had, _ := handedIn.Get(turn, "all")
		handedIn.Put(turn, "all", append(had, m.N))
		turn.Send(messages.To("ledger", strconv.Itoa(m.N%clusterLedgers)), parcel{g.node, m.N})
	case receipt:
		had, _ := receipts.Get(turn, "all")
		receipts.Put(turn, "all", append(had, m.N))
		turn.Send("archive/all", signed{g.node, m.N})
	}
	return nil
}

// ledgerActor is owned by one node at a time.
type ledgerActor struct{}

func (ledgerActor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case parcel:
		had, _ := came.Get(turn, "all")
		came.Put(turn, "all", append(had, m))
		turn.Call("stamp", m, actors.CallOptions{Deadline: time.Minute, Retries: 3})
	case stamped:
		had, _ := booked.Get(turn, "all")
		booked.Put(turn, "all", append(had, parcel(m)))
		turn.Send(gateOf(m.From), receipt{m.N})
		turn.Send("archive/all", parcel(m))
	}
	return nil
}

// archiveActor gets what all ledgers have booked, and what all gates have signed.
type archiveActor struct{}

func (archiveActor) Receive(turn *actors.Turn, msg messages.Message) error {
	switch m := msg.(type) {
	case parcel:
		had, _ := booked.Get(turn, "all")
		booked.Put(turn, "all", append(had, m))
	case signed:
		had, _ := signings.Get(turn, "all")
		signings.Put(turn, "all", append(had, parcel(m)))
	}
	return nil
}

// fullNow is a store on a volume that is full now and then. While a node starts over it, an entry
// of the log may come between any two things that are read.
type fullNow struct {
	*mem.Store
	full  func() bool
	entry func()
}

func (s fullNow) Scan(prefix, from []byte, yield func(k, v []byte) bool) error {
	err := s.Store.Scan(prefix, from, yield)
	if of := string(prefix); of == "i/" || of == "t/" {
		s.entry()
	}
	return err
}

func (s fullNow) Apply(ops []engine.Op, sync bool) error {
	if s.full() {
		return engine.ErrLowSpace
	}
	return s.Store.Apply(ops, sync)
}

// clusterWorld is a simulated cluster with what was put into it.
type clusterWorld struct {
	*engine.SimCluster
	stores []*mem.Store
	put    []int // by gate: the last number that was put in
	lost   []lostGate
	full   float64
	// starting is set while nodes start.
	starting bool
	// between is how often, of 1, something is put into a gate, and stored, in the midst of what
	// follows from an entry.
	between float64
	// elsewhere counts by node how often it was told of a conversation that another one forgets.
	elsewhere map[string]int
}

// lostGate is what was on the disks of the machines that a gate has lived on, in order.
type lostGate struct {
	upTo     []int // by disk: the last number that was put in
	handed   []int // numbers
	receipts []int // that it has signed, or had in its inbox
}

func (l lostGate) last() int {
	if len(l.upTo) == 0 {
		return 0
	}
	return l.upTo[len(l.upTo)-1]
}

// Replace notes what is lost with a machine.
func (w *clusterWorld) Replace(i int) error {
	of, store := w.Node(i).Engine(), w.stores[i]
	handed, err := rowsOf(of, handedIn, gateOf(i))
	had, rerr := rowsOf(of, receipts, gateOf(i))
	merr := of.ReadMail(func(env engine.Envelope) bool {
		if m, ok := env.Message.(receipt); ok && env.To == gateOf(i) {
			had = append(had, m.N)
		}
		return true
	})
	if err := errors.Join(err, rerr, merr); err != nil {
		return err
	}
	return w.roomy(func() error {
		w.stores[i] = mem.New()
		replaced, err := w.SimCluster.Replace(i)
		if !replaced {
			w.stores[i] = store
			return err
		}
		l := &w.lost[i]
		l.upTo, l.handed, l.receipts = append(l.upTo, w.put[i]), append(l.handed, handed...), append(l.receipts, had...)
		return err
	})
}

// entry hands a node that starts its next entry, now and then.
func (w *clusterWorld) entry(i int) {
	if !w.starting || w.Rand().Float64() >= 0.5 {
		return
	}
	if r := w.Replica(i); r.Applied() < uint64(len(w.Entries())) {
		_ = r.Apply(r.Applied()+1, w.Entries()[r.Applied()]) // on half of a snapshot it cannot
	}
}

// Restart and Heal find room on the volumes.
func (w *clusterWorld) Restart(i int) error {
	if err := w.roomy(func() error { return w.SimCluster.Restart(i) }); err != nil {
		return err
	}
	for range w.Rand().IntN(8) { // what it can do before it hears of the others
		w.Node(i).Step()
	}
	w.inject(i)
	return nil
}
func (w *clusterWorld) Heal() error { return w.roomy(w.SimCluster.Heal) }

func (w *clusterWorld) roomy(do func() error) error {
	full := w.full
	w.full, w.starting = 0, true
	err := do()
	w.full, w.starting = full, false
	return err
}

func clusterOptions(codec *messages.Codec, store func(node int) engine.Store) func(string) engine.SimOptions {
	return func(name string) engine.SimOptions {
		node, _ := strconv.Atoi(name[len("mac-"):])
		return engine.SimOptions{
			Latency: 300 * time.Millisecond, Doze: 0.02,
			Engine: engine.Options{
				Store: store(node), Codec: codec, Sync: true,
				Kinds: []engine.Kind{
					{Name: "gate", Here: true, New: func(messages.Address) actors.Actor { return gateActor{node} }},
					{Name: "ledger", Zoned: true, New: func(messages.Address) actors.Actor { return ledgerActor{} }},
					{Name: "archive", Zoned: true, New: func(messages.Address) actors.Actor { return archiveActor{} }},
				},
				Workers: []engine.WorkerKind{{Name: "stamp", New: stamper}},
			},
		}
	}
}

func newClusterWorld(codec *messages.Codec, seed uint64, trace *bytes.Buffer) (*clusterWorld, error) {
	w := &clusterWorld{put: make([]int, 3), lost: make([]lostGate, 3), elsewhere: map[string]int{}}
	var names []string
	for i := range 3 {
		names = append(names, nodeName(i))
		w.stores = append(w.stores, mem.New())
	}
	store := func(i int) engine.Store {
		full := func() bool { return w.full > 0 && w.Rand().Float64() < w.full }
		return fullNow{w.stores[i], full, func() { w.entry(i) }}
	}
	o := engine.SimClusterOptions{
		Nodes: names, Seed: seed,
		Node: func(name string) engine.SimOptions {
			o := clusterOptions(codec, store)(name)
			o.Engine.Elsewhere = func(messages.ConversationID) { w.elsewhere[name]++ }
			o.Engine.OnCommit = func(_, ops int) {
				if i := slices.Index(names, name); ops == 0 && w.between > 0 && w.Rand().Float64() < w.between {
					w.inject(i)
					w.Node(i).Commit()
				}
			}
			return o
		},
		Loss: 0.2, Again: 0.1, Jump: 0.02, Skew: 5 * time.Minute,
	}
	if seed%3 == 0 { // what began on either of two nodes stays on these
		o.Zone = func(name string) string {
			if name == names[2] {
				return ""
			}
			return "local"
		}
	}
	if trace != nil {
		o.Trace = trace
	}
	var err error
	w.SimCluster, err = engine.NewSimCluster(o)
	return w, err
}

// act does something to the cluster, as its own source of choices has it.
func (w *clusterWorld) act(rng *rand.Rand) error {
	i, j := rng.IntN(3), rng.IntN(3)
	switch rng.IntN(16) {
	case 0:
		w.Kill(i)
	case 1:
		return w.Restart(i)
	case 2:
		w.Pause(i)
	case 3:
		w.Unpause(i)
	case 4:
		w.Isolate(i)
	case 5:
		w.Cut(i, j)
	case 6:
		return w.Heal()
	case 7:
		w.Advance(time.Duration(rng.IntN(4000)) * time.Millisecond)
	case 8: // nobody knows whom, but all have to look
		w.Node(i).Engine().ForgetLater(engine.Forgetting{Conversation: "line:Nobody"}, func(error) {})
	case 9:
		w.Slow(i)
	case 10:
		w.Delay(i, time.Duration(rng.IntN(1500))*time.Millisecond)
	case 11:
		if err := w.Replace(i); err != nil {
			return err
		}
	default:
		for range 1 + rng.IntN(4) {
			w.inject(i)
		}
	}
	for range rng.IntN(60) {
		w.Step()
	}
	return nil
}

// inject puts the next number into a gate.
func (w *clusterWorld) inject(i int) {
	w.put[i]++
	if _, err := w.Node(i).Inject(gateOf(i), put{w.put[i]}, strconv.Itoa(w.put[i])); err != nil {
		panic(err) // a gate, and the message, are known
	}
}

// finish lets everything come to its end.
func (w *clusterWorld) finish() error {
	w.full, w.between = 0, 0
	if err := w.Heal(); err != nil {
		return err
	}
	w.Advance(10 * time.Second)
	for i, last := range w.put { // what was put into a process that died is put again, as a host does
		for n := w.lost[i].last() + 1; n <= last; n++ {
			if _, err := w.Node(i).Inject(gateOf(i), put{n}, strconv.Itoa(n)); err != nil {
				return err
			}
		}
	}
	w.Advance(2 * time.Minute)
	return nil
}

// check compares what came about with what was put in.
func (w *clusterWorld) check() error {
	var want []byte
	for i := range w.put {
		var form bytes.Buffer
		if err := w.Replica(i).Snapshot(&form); err != nil {
			return err
		}
		if i == 0 {
			want = form.Bytes()
		} else if !bytes.Equal(want, form.Bytes()) {
			return fmt.Errorf("the nodes %d and 0 differ in what they share", i)
		}
	}
	up := w.Replica(0).Members()
	for owner, n := range w.Replica(0).Holdings() {
		if _, ok := up[owner]; !ok {
			return fmt.Errorf("%d actors are owned by %q, which is not there", n, owner)
		}
	}
	var bookings, arrivals []parcel
	for l := range clusterLedgers {
		ledger := messages.To("ledger", strconv.Itoa(l))
		for _, a := range []messages.Address{ledger, messages.To("archive", "all")} { // the one tells the other
			born, begun, berr := w.stores[0].Get([]byte("m/born/" + ledger.Key()))
			machine, _, _ := strings.Cut(string(born), "/") // it, or one that had its name
			bound := begun && machine != nodeName(2)
			if owner := w.Replica(0).Holder(a); berr != nil || bound && owner == nodeName(2) {
				return errors.Join(berr, fmt.Errorf("%s is on %q, where it may not be", a, owner))
			}
		}
		at, err := rowsOf(w.Node(0).Engine(), booked, ledger)
		came, cerr := rowsOf(w.Node(0).Engine(), came, ledger)
		if err := errors.Join(err, cerr); err != nil {
			return err
		}
		bookings, arrivals = append(bookings, at...), append(arrivals, came...)
	}
	archived, err := rowsOf(w.Node(0).Engine(), booked, "archive/all")
	signed, serr := rowsOf(w.Node(0).Engine(), signings, "archive/all")
	if err := errors.Join(err, serr); err != nil {
		return err
	}
	for i := range w.put {
		arrived := numbersFrom(arrivals, i)
		sent, err := w.sent(i, arrived)
		if err != nil {
			return err
		}
		for l := range clusterLedgers {
			other := func(n int) bool { return n%clusterLedgers != l }
			order, want := slices.DeleteFunc(slices.Clone(arrived), other), slices.DeleteFunc(slices.Clone(sent), other)
			if !slices.Equal(order, want) {
				return fmt.Errorf("ledger %d got %v from gate %d, want %v in this order", l, order, i, want)
			}
		}
		if err := onceEach(numbersFrom(bookings, i), sent); err != nil {
			return fmt.Errorf("booked of gate %d: %w", i, err)
		}
		if err := onceEach(numbersFrom(archived, i), sent); err != nil {
			return fmt.Errorf("archived of gate %d: %w", i, err)
		}
		got, err := rowsOf(w.Node(i).Engine(), receipts, gateOf(i))
		if err != nil {
			return err
		}
		// One that a machine had may be lost with it, signed or not: then nobody has it, or the next machine.
		here := slices.DeleteFunc(slices.Clone(sent), func(n int) bool {
			return slices.Contains(w.lost[i].receipts, n) && !slices.Contains(got, n)
		})
		if err := onceEach(got, here); err != nil {
			return fmt.Errorf("receipts at gate %d: %w", i, err)
		}
		signings := numbersFrom(signed, i)
		want := slices.DeleteFunc(slices.Clone(sent), func(n int) bool {
			return slices.Contains(w.lost[i].receipts, n) && !slices.Contains(signings, n) && !slices.Contains(got, n)
		})
		if err := onceEach(signings, want); err != nil {
			return fmt.Errorf("signed by gate %d: %w", i, err)
		}
	}
	return nil
}

// sent is what a gate has sent to the ledgers, in its order: all that was put in on the machine that it
// lives on, and what arrived of the machines before, which is what those sent first.
func (w *clusterWorld) sent(i int, arrived []int) (sent []int, err error) {
	l, from := w.lost[i], 0
	for _, upTo := range l.upTo {
		of := func(all []int) []int {
			return slices.DeleteFunc(slices.Clone(all), func(n int) bool { return n <= from || n > upTo })
		}
		handed, came := of(l.handed), of(arrived)
		if len(came) > len(handed) {
			return nil, fmt.Errorf("%v came from gate %d, which sent %v", came, i, handed)
		}
		sent, from = append(sent, handed[:len(came)]...), upTo
	}
	handed, err := rowsOf(w.Node(i).Engine(), handedIn, gateOf(i))
	if err != nil {
		return nil, err
	}
	var all []int
	for n := from + 1; n <= w.put[i]; n++ {
		all = append(all, n)
	}
	if err := onceEach(handed, all); err != nil {
		return nil, fmt.Errorf("handed in at gate %d: %w", i, err)
	}
	return append(sent, handed...), nil
}

func numbersFrom(parcels []parcel, from int) (n []int) {
	for _, p := range parcels {
		if p.From == from {
			n = append(n, p.N)
		}
	}
	return n
}

func stamper() (actors.Worker, error) {
	return actors.WorkerFunc(func(_ context.Context, m messages.Message) (messages.Message, error) {
		return stamped(m.(parcel)), nil
	}), nil
}

// rowsOf reads the row that an actor keeps everything in.
func rowsOf[V any](e *engine.Engine, table actors.Table[[]V], of messages.Address) (all []V, err error) {
	err = engine.ReadTable(e, of.Kind(), table, func(a messages.Address, _ string, row []V) error {
		if a == of {
			all = row
		}
		return nil
	})
	return all, err
}

// onceEach checks that what is wanted is there, each once, and nothing else.
func onceEach(got, want []int) error {
	count := map[int]int{}
	for _, n := range got {
		count[n]++
	}
	for _, n := range want {
		if count[n] != 1 {
			return fmt.Errorf("number %d is there %d times, want once (of %v)", n, count[n], got)
		}
	}
	if len(count) != len(want) {
		return fmt.Errorf("there are %v, want %v", slices.Sorted(maps.Keys(count)), want)
	}
	return nil
}

func clusterCodec(t testing.TB) *messages.Codec {
	t.Helper()
	codec, err := messages.NewCodec(events.Core(), clusterMessages)
	if err != nil {
		t.Fatal(err)
	}
	return codec
}

// playCluster plays some of the acts of a seeded schedule, and counts the faults.
func playCluster(codec *messages.Codec, seed uint64, acts []int, trace *bytes.Buffer) (_ map[engine.Fault]int,
	err error) {
	defer func() {
		if bad := recover(); bad != nil {
			err = fmt.Errorf("panic: %v", bad)
		}
	}()
	w, err := newClusterWorld(codec, seed, trace)
	if err != nil {
		return nil, err
	}
	w.full, w.between = float64(w.Rand().IntN(3))*0.02, 0.1
	for _, n := range acts {
		if err := w.act(rand.New(rand.NewPCG(seed, uint64(n)))); err != nil {
			return nil, err
		}
	}
	if err := w.finish(); err != nil {
		return nil, err
	}
	return w.Faults(), w.check()
}

// actsOf are all acts of a schedule. One of ten is long: most faults need little.
func actsOf(seed uint64) (acts []int) {
	n := 12
	if seed%10 == 0 {
		n = 40
	}
	for i := range n {
		acts = append(acts, i)
	}
	return acts
}

// TestSimulatedCluster plays seeded schedules of three nodes that are killed, paused, cut off,
// slowed down, restarted and replaced between any two steps, over a log that loses and repeats proposals.
// KEHAI_SEED=n plays one of them with its trace, and with KEHAI_ACTS=3,5 only these of its acts;
// KEHAI_SCHEDULES=n sets how many.
func TestSimulatedCluster(t *testing.T) {
	codec := clusterCodec(t)
	if seed := env(t, "KEHAI_SEED", 0); seed > 0 {
		var trace bytes.Buffer
		_, err := playCluster(codec, seed, chosenActs(t, seed), &trace)
		t.Logf("%s", trace.String())
		if err != nil {
			t.Fatal(err)
		}
		return
	}
	schedules := uint64(10_000)
	if testing.Short() {
		schedules = 100
	}
	schedules = env(t, "KEHAI_SCHEDULES", schedules)
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // most of what a schedule makes is garbage soon
	var next atomic.Uint64
	var all sync.WaitGroup
	var mu sync.Mutex
	came := map[engine.Fault]int{}
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for seed := next.Add(1); seed <= schedules && !t.Failed(); seed = next.Add(1) {
				faults, err := playCluster(codec, seed, actsOf(seed), nil)
				if err != nil {
					t.Error(explain(codec, seed))
				}
				mu.Lock()
				for f := range faults {
					came[f]++
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for _, f := range engine.AllFaults {
		if uint64(came[f]) < schedules/20 && !t.Failed() {
			t.Errorf("%d of %d schedules have the fault %q: this test shows little of it", came[f], schedules, f)
		}
	}
	t.Logf("%d schedules; how many of them had to bear what: %v", schedules, came)
}

// chosenActs are the acts that KEHAI_ACTS names, or all.
func chosenActs(t *testing.T, seed uint64) (acts []int) {
	t.Helper()
	list := os.Getenv("KEHAI_ACTS")
	if list == "" {
		return actsOf(seed)
	}
	for _, s := range strings.Split(list, ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("KEHAI_ACTS=%q: want numbers with commas between them", list)
		}
		acts = append(acts, n)
	}
	return acts
}

// explain says how a schedule fails, with as few acts as possible.
func explain(codec *messages.Codec, seed uint64) string {
	acts := shrunk(actsOf(seed), func(acts []int) bool {
		_, err := playCluster(codec, seed, acts, nil)
		return err != nil
	})
	_, err := playCluster(codec, seed, acts, nil)
	list := strings.Trim(strings.ReplaceAll(fmt.Sprint(acts), " ", ","), "[]")
	return fmt.Sprintf("seed %d fails with %d acts: %v\nreplay: KEHAI_SEED=%d KEHAI_ACTS=%s go test -v "+
		"-run 'TestSimulatedCluster$' ./runtime/engine", seed, len(acts), err, seed, list)
}

// shrunk removes from a failing list whatever it fails without: halves first, then single ones.
func shrunk(list []int, fails func([]int) bool) []int {
	for size := max(1, len(list)/2); ; {
		smaller := false
		for at := 0; at+size <= len(list); {
			if without := slices.Delete(slices.Clone(list), at, at+size); len(without) > 0 && fails(without) {
				list, smaller = without, true
			} else {
				at += size
			}
		}
		switch {
		case size > 1:
			size /= 2
		case !smaller:
			return list
		}
	}
}

func TestShrunkKeepsWhatFails(t *testing.T) {
	got := shrunk(actsOf(10), func(acts []int) bool { return slices.Contains(acts, 7) && slices.Contains(acts, 31) })
	if want := []int{7, 31}; !slices.Equal(got, want) {
		t.Errorf("shrunk() = %v, want %v", got, want)
	}
}

func TestSimulatedClusterRepeatsByteForByte(t *testing.T) {
	codec := clusterCodec(t)
	for seed := uint64(6); seed <= 10; seed++ {
		var first, second bytes.Buffer
		_, err := playCluster(codec, seed, actsOf(seed), &first)
		_, again := playCluster(codec, seed, actsOf(seed), &second)
		if err = errors.Join(err, again); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if first.Len() == 0 || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Fatalf("seed %d: two runs differ (%d and %d bytes of trace)", seed, first.Len(), second.Len())
		}
	}
}

// TestWhatIsForgottenIsForgottenOnAllNodes deletes a conversation at one node; each node's
// gate and one ledger know of it.
func TestWhatIsForgottenIsForgottenOnAllNodes(t *testing.T) {
	w, err := newClusterWorld(clusterCodec(t), 7, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	const who = "line@mac-0" // the key of a gate
	for i := range 3 {
		w.put[i] = 6
		for n := 1; n <= 6; n++ {
			if _, err := w.Node(i).Inject(gateOf(i), put{n}, strconv.Itoa(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.Advance(time.Minute)
	if err := w.check(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	w.Node(1).Engine().ForgetLater(engine.Forgetting{Conversation: who}, func(err error) { done <- err })
	w.Advance(time.Minute)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		for _, s := range []string{"s/gate/" + who, "f/", "lf/"} {
			err := w.stores[i].Scan([]byte(s), nil, func(k, _ []byte) bool {
				t.Errorf("mac-%d still has %q", i, k)
				return true
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if w.elsewhere["mac-0"] < 2 || w.elsewhere["mac-2"] < 2 || w.elsewhere["mac-1"] > 0 {
		t.Errorf("told to follow: %v, want the others at the beginning and at the end", w.elsewhere)
	}
	if rows, err := rowsOf(w.Node(1).Engine(), receipts, gateOf(1)); err != nil || len(rows) != 6 {
		t.Errorf("the gate of mac-1 has %v, %v, want what it had", rows, err)
	}
}

// Each node has readers of its own: what one acknowledges, another one has not read, and it
// needs no majority to do so.
func TestReadersOfNodesAcknowledgeApart(t *testing.T) {
	w, err := newClusterWorld(clusterCodec(t), 11, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	w.Isolate(1)
	err = w.Node(1).Await(func(ctx context.Context) error { return w.Node(1).Engine().SetCursor(ctx, "page", 7) })
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Heal(); err != nil {
		t.Fatal(err)
	}
	w.Advance(time.Minute)
	for i, want := range []uint64{0, 7, 0} {
		if got, err := w.Node(i).Engine().Cursor("page"); got != want || err != nil {
			t.Errorf("Cursor at mac-%d = %d, %v, want %d", i, got, err, want)
		}
	}
}

// Retention deletes events on all nodes, but only knows the readers of its own: each node can tell
// what its readers have not got.
func TestWhatRetentionDeletesIsKnownOnAllNodes(t *testing.T) {
	w, err := newClusterWorld(clusterCodec(t), 11, nil)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance(5 * time.Second)
	for i := range 3 {
		for seq := range uint64(3) {
			key := append([]byte("e/"), bigEndian(seq+1)...)
			value := fmt.Appendf(nil, `{"at":"2026-01-0%dT00:00:00Z","msg":{"type":"test_put","v":1,"body":{}}}`, seq+1)
			if err := w.stores[i].Apply([]engine.Op{{Key: key, Value: value}}, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	at := func(day int) time.Time { return time.Date(2026, 1, day, 12, 0, 0, 0, time.UTC) }
	reading := w.Node(1).Engine()
	err = w.Node(1).Await(func(ctx context.Context) error { return reading.SetCursor(ctx, "page", 0) })
	if err != nil {
		t.Fatal(err)
	}
	for i, day := range []int{1, 0, 2} { // mac-1 keeps all
		before := at(day)
		done := make(chan error, 1)
		go func() {
			_, err := w.Node(i).Engine().Trim(t.Context(), engine.Cutoffs{Events: before})
			done <- err
		}()
		for trimmed := false; !trimmed; w.Advance(100 * time.Millisecond) {
			select {
			case err := <-done:
				if trimmed = true; err != nil {
					t.Fatal(err)
				}
			default:
			}
		}
	}
	w.Advance(time.Minute)
	for i := range 3 {
		e := w.Node(i).Engine()
		got, err := e.Trimmed()
		left := 0
		err = errors.Join(err, e.ReadLog(0, func(engine.Published) bool { left++; return true }))
		want := uint64(0)
		if i != 1 {
			want = 2 // a new reader begins where the log does
		}
		cursor, cerr := e.Cursor("page")
		if err = errors.Join(err, cerr); err != nil || got != 2 || left != 1 || cursor != want {
			t.Errorf("mac-%d: Trimmed() = %d with %d events left, Cursor() = %d, %v, want 2 with 1, %d",
				i, got, left, cursor, err, want)
		}
	}
}
