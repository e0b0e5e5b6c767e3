package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
)

// seeds plays a random test with KEHAI_SEED, or with KEHAI_DELETIONS seeds: long of them, in a short run short.
func seeds(t *testing.T, short, long uint64, play func(seed uint64) error) {
	t.Helper()
	if testing.Short() {
		long = short
	}
	first, last := uint64(1), env(t, "KEHAI_DELETIONS", long)
	if seed := env(t, "KEHAI_SEED", 0); seed > 0 {
		first, last = seed, seed
	}
	for seed := first; seed <= last; seed++ {
		if err := play(seed); err != nil {
			t.Errorf("seed %d: %v\nreplay: KEHAI_SEED=%d go test -v -run %s ./runtime/engine", seed, err, seed,
				t.Name())
		}
	}
}

// Keys go and come, the store dies at any write, two of three are forgotten again and again. Nothing of Ken is lost
// or doubled, nothing of the others outlives a deletion that came later, and nothing waits for ever.
func TestForgettingAtRandom(t *testing.T) {
	seeds(t, 25, 250, func(seed uint64) error {
		f := newForgetting(t, seed)
		for range 30 {
			if err := f.step(); err != nil {
				return err
			}
		}
		clear(f.keys.away)
		f.Advance(2 * time.Hour)
		f.hear()
		return f.check()
	})
}

// forgetting is a simulation of three who say words, of whom Ken is never forgotten.
type forgetting struct {
	*away
	disk  *dying
	rng   *rand.Rand
	said  map[messages.ConversationID][]*word
	under map[messages.ConversationID]bool // a deletion of them has begun and is not over
	n     int
}

// word is what was said once. It is told to its own actor, which remembers and publishes it, sends it to two others
// that keep it under their own keys, and sets a timer that does so again.
type word struct {
	text string
	at   string // the key of the others
	ack  <-chan error
	ok   bool
	gone bool // a deletion came later
	late bool // it came while one was under way: it may go or stay
}

// sayers are the actors of a forgetting.
func sayers() []engine.Kind {
	one := kind("one", func(turn *actors.Turn, m messages.Message) error {
		d, ok := m.(diary)
		if !ok {
			return nil
		}
		text := string(d.Words)
		at := text[len(text)-2:]
		names.Put(turn, text, "")
		turn.Send(messages.To("window", at), d)
		if !strings.HasPrefix(text, "rang") {
			turn.Publish(d)
			turn.Send(messages.To("plain", at), diary{"", d.Words})
			turn.After(text, 90*time.Second, diary{d.Whom, "rang:" + d.Words})
		}
		return nil
	})
	plain := kind("plain", func(turn *actors.Turn, m messages.Message) error {
		if d, ok := m.(diary); ok {
			was, _ := names.Get(turn, string(d.Words))
			names.Put(turn, string(d.Words), was+"+")
		}
		return nil
	})
	return []engine.Kind{one, plain, lists()}
}

func newForgetting(t *testing.T, seed uint64) *forgetting {
	t.Helper()
	f := &forgetting{rng: rand.New(rand.NewPCG(seed, 7)), said: map[messages.ConversationID][]*word{},
		under: map[messages.ConversationID]bool{}}
	o := engine.SimOptions{Seed: seed, Engine: engine.Options{Kinds: sayers(), Sync: true}}
	f.away, f.disk = newDying(t, o, func(k *badKeys) { k.destroys = f.rng.IntN(2) == 0 })
	return f
}

func (f *forgetting) step() error {
	switch f.rng.IntN(10) {
	case 0, 1, 2, 3:
		f.say(whoms[f.rng.IntN(len(whoms))])
	case 4:
		f.keys.away[f.key()] = true
	case 5:
		delete(f.keys.away, f.key())
	case 6:
		return f.forget()
	case 7:
		f.disk.n = f.rng.IntN(4)
		f.Advance(time.Duration(f.rng.IntN(60)) * time.Second)
		return f.restart()
	default:
		f.Advance(time.Duration(f.rng.IntN(400)) * time.Second)
	}
	return nil
}

func (f *forgetting) key() string { return []string{"w1", "w2", "hana", "ken", "aki"}[f.rng.IntN(5)] }

func (f *forgetting) say(c messages.ConversationID) {
	f.n++
	w := &word{at: fmt.Sprint("w", f.rng.IntN(2)+1), late: f.under[c]}
	w.text = fmt.Sprint(c, "-", f.n, "-", w.at)
	var err error
	if w.ack, err = f.Inject(messages.To("one", string(c)), diary{c, messages.Text(w.text)}, ""); err != nil {
		return // its key is out of reach
	}
	f.said[c] = append(f.said[c], w)
	if f.rng.IntN(2) == 0 {
		f.Settle()
	}
}

// hear reads what was acknowledged.
func (f *forgetting) hear() {
	for _, c := range whoms {
		for _, w := range f.said[c] {
			select {
			case err := <-w.ack:
				w.ok = w.ok || err == nil
			default:
			}
		}
	}
}

func (f *forgetting) restart() error {
	f.disk.n = math.MaxInt
	f.hear()
	if err := f.Crash(); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	return nil
}

// forget forgets one, or two at the same time. The store may die meanwhile.
func (f *forgetting) forget() error {
	if f.rng.IntN(2) == 0 {
		f.disk.n = f.rng.IntN(6)
	}
	one, other := messages.ConversationID("hana"), messages.ConversationID("aki")
	if f.rng.IntN(2) == 0 {
		one, other = other, one
	}
	if f.rng.IntN(3) == 0 {
		list := f.said[other]
		for _, w := range list {
			w.late = true
		}
		f.under[other] = true
		f.Engine().ForgetLater(engine.Forgetting{Conversation: other}, func(err error) { f.ended(other, list, err) })
	}
	err := f.Await(func(ctx context.Context) error {
		_, err := f.Engine().Forget(ctx, engine.Forgetting{Conversation: one})
		return err
	})
	if f.disk.n < 0 {
		if err := f.restart(); err != nil {
			return err
		}
	}
	f.disk.n = math.MaxInt
	f.hear()
	f.ended(one, f.said[one], err)
	return nil
}

// ended notes the end of a deletion that came after some words.
func (f *forgetting) ended(c messages.ConversationID, list []*word, err error) {
	for _, w := range list {
		w.gone = w.gone || err == nil || engine.KeyAway(err) != ""
		w.late = w.late || !w.gone
	}
	f.under[c] = err != nil && !errors.Is(err, engine.ErrRest)
}

// check looks for what outlives a deletion, what is lost or doubled, and what still waits.
func (f *forgetting) check() (bad error) {
	for _, class := range []string{"f/", "lf/", "i/", "t/", "d/", "ld/"} {
		if left := keys(f.t, f.store, class); len(left) > 0 {
			bad = errors.Join(bad, fmt.Errorf("left are %q", left))
		}
	}
	logged := map[string]int{}
	err := f.Engine().ReadLog(0, func(p engine.Published) bool {
		if d, ok := p.Message.(diary); ok {
			logged[string(d.Words)]++
		}
		return true
	})
	row := func(kind, key, row string) string {
		place := []byte("s/" + kind + "/" + key + "\x00names\x00" + row)
		v, _, _ := f.store.Get(place)
		plain, _ := engine.OpenRow(f.keys, place, v)
		return string(plain)
	}
	for _, c := range whoms {
		for _, w := range f.said[c] {
			window := strings.Fields(strings.Trim(row("window", w.at, string(c)), `"`))
			count := map[string]int{}
			for _, text := range window {
				count[text]++
			}
			own, plain := min(1, len(row("one", string(c), w.text))), strings.Count(row("plain", w.at, w.text), "+")
			got := [...]int{own, count[w.text], count["rang:"+w.text], logged[w.text], plain}
			bad = errors.Join(bad, w.judge(c, got))
		}
	}
	return errors.Join(bad, err)
}

// judge says what is wrong with how often a word is stored: by its own actor, in the window, there by its timer, in
// the log, and by the other actor, which may keep it.
func (w *word) judge(c messages.ConversationID, got [5]int) error {
	all, none := [5]int{1, 1, 1, 1, 1}, [5]int{4: got[4]}
	switch {
	case w.gone && got != none:
		return fmt.Errorf("%s outlives its deletion: %v", w.text, got)
	case w.ok && !w.gone && !w.late && got != all:
		return fmt.Errorf("%s is lost or doubled: %v", w.text, got)
	case c == "ken" && max(got[0], got[1], got[2], got[3], got[4]) > 1:
		return fmt.Errorf("%s is doubled: %v", w.text, got)
	}
	return nil
}

// Nodes die and come back, keys go and come, Hana is forgotten again and again. Of what the window of each node
// keeps nothing of Ken is lost, nothing of Hana outlives a deletion that came later, and nothing waits for ever.
func TestAClusterForgetsAtRandom(t *testing.T) {
	seeds(t, 10, 100, func(seed uint64) error {
		f := &sharedForgetting{rng: rand.New(rand.NewPCG(seed, 11)), last: map[place]*word{}, dead: -1}
		f.sharing = newSharing(t, func(o *engine.SimClusterOptions) { o.Seed, o.Jump = seed, float64(seed%3)/3 })
		for range 25 {
			if err := f.step(f.rng.IntN(3)); err != nil {
				return err
			}
		}
		if err := f.rise(); err != nil {
			return err
		}
		for i := range 3 {
			clear(f.keys[nodeName(i)].away)
		}
		f.Advance(3 * time.Hour)
		return f.check()
	})
}

// sharedForgetting is a cluster in which words are told to the windows of the nodes.
type sharedForgetting struct {
	*sharing
	rng   *rand.Rand
	last  map[place]*word // what each window has been told last
	dead  int             // a node; -1: none
	under int             // deletions that have begun and are not over
	n     int
}

type place struct {
	node int
	whom messages.ConversationID
}

// step has something happen at a node.
func (f *sharedForgetting) step(node int) error {
	away, window := f.keys[nodeName(node)].away, fmt.Sprint("line@mac-", node)
	switch what := f.rng.IntN(8); {
	case what == 3 && away[window]:
		delete(away, window)
	case what == 3:
		away[window] = true
	case what == 4 && f.dead >= 0:
		return f.rise()
	case what == 4:
		f.Kill(node)
		f.dead = node
	case what <= 5 && node == f.dead:
	case what < 3:
		f.say(place{node, []messages.ConversationID{"hana", "ken"}[f.rng.IntN(2)]})
	case what == 5:
		f.forget(node)
	default:
		f.Advance(time.Duration(f.rng.IntN(400)) * time.Second)
	}
	return nil
}

func (f *sharedForgetting) rise() error {
	node := f.dead
	if f.dead = -1; node < 0 {
		return nil
	}
	if err := f.Restart(node); err != nil {
		return err
	}
	f.Advance(10 * time.Second) // it learns of deletions that it has missed: they take what came before that, too
	return nil
}

func (f *sharedForgetting) say(p place) {
	f.Advance(10 * time.Second) // the others are done a little later than the node that forgets
	f.n++
	w := &word{text: fmt.Sprint("word", f.n), late: f.under > 0}
	for i := range 3 { // it has told of a key that is away, and goes on: with what has come until then
		w.late = w.late || len(keys(f.t, f.stores[nodeName(i)], "f/hana")) > 0
	}
	to := messages.To("window", fmt.Sprint("line@mac-", p.node))
	var err error
	if w.ack, err = f.Node(p.node).Inject(to, diary{p.whom, messages.Text(w.text)}, ""); err == nil {
		f.Advance(time.Second)
		f.last[p] = w
	}
}

func (f *sharedForgetting) forget(node int) {
	var list []*word
	for p, w := range f.last {
		if p.whom == "hana" {
			list = append(list, w)
			w.late = true
		}
	}
	f.under++ // for ever, if the node dies
	f.Node(node).Engine().ForgetLater(engine.Forgetting{Conversation: "hana"}, func(err error) {
		f.under--
		for _, w := range list {
			w.gone = w.gone || err == nil || engine.KeyAway(err) != ""
		}
	})
	for range f.rng.IntN(40) {
		f.Step()
	}
}

func (f *sharedForgetting) check() (bad error) {
	for p, w := range f.last {
		s, key := f.stores[nodeName(p.node)], fmt.Sprintf("s/window/line@mac-%d\x00names\x00%s", p.node, p.whom)
		v, _, _ := s.Get([]byte(key))
		plain, _ := engine.OpenRow(f.keys[nodeName(p.node)], []byte(key), v)
		has := strings.Contains(string(plain), `"`+w.text+`"`)
		select {
		case err := <-w.ack:
			w.ok = err == nil
		default:
		}
		if has && w.gone || !has && w.ok && !w.late {
			bad = errors.Join(bad, fmt.Errorf("%v: stored is %q, and %s is %+v", p, plain, w.text, *w))
		}
	}
	for i := range 3 {
		s := f.stores[nodeName(i)]
		if got := append(keys(f.t, s, "f/"), keys(f.t, s, "lf/")...); len(got) > 0 {
			bad = errors.Join(bad, fmt.Errorf("node %d has the intents %q", i, got))
		}
	}
	return bad
}
