// Package keys has the members of a cluster share the keys that seal what they store. Its
// main type is [Keys], an engine.Sealer over the keyring of one member.
//
// A key never enters the replicated log, a snapshot or a backup: it goes from member to
// member over their wires, wrapped with the node's key that all of them got when they
// joined. A witness gets none.
//
// Nothing is sealed with a key before enough members have it that no majority is without
// it: a new one is handed out first and kept afterwards. A row whose key is not here is
// opened with the one that another member has.
//
// The log names each forgotten key by id and fingerprint, so that a later key of the same
// subject is not meant. Each member destroys its copy when it comes to that note, and
// remembers the fingerprint, lest a machine that was away hand the key out again. In
// DATA/cluster:
//
//	destroyed   the fingerprints of destroyed keys, one a line
//	held        those of keys that enough members have; without a line they are asked again
//
// A crash can lose the last lines of either; the note comes again, and so does the asking.
package keys

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// The services that members answer, and the topic of the log.
const (
	servicePut  = "key-put"
	serviceTake = "key-take"
	serviceGone = "key-gone"
	serviceEnd  = "key-end"
	// Topic is the topic of the notes about destroyed keys.
	Topic = "key"
)

// ErrFew says that too few members have a key.
var ErrFew = errors.New("keys: too few members can be reached to share a new key: what it would seal waits")

const (
	askWithin = 3 * time.Second
	// restWithin is for the others once enough members have a new key: who is later fetches it.
	restWithin = 300 * time.Millisecond
)

// Wires ask other members, by name.
type Wires interface {
	Ask(ctx context.Context, node, service string, request []byte) ([]byte, error)
	Answer(service string, by func(ctx context.Context, from string, request []byte) ([]byte, error))
}

// Options of New.
type Options struct {
	Ring *keyring.Ring
	Dir  string // where the two lists are
	Node string // this member
	Wire Wires
	// Members are all members, this one too, as they count now.
	Members  func() []cluster.Peer
	Announce func(ctx context.Context, topic string, note []byte) error
}

// Keys are the keys of one member. Its methods may be called concurrently.
type Keys struct {
	*keyring.Ring
	o         Options
	destroyed *lines
	held      *lines

	mu   sync.Mutex
	busy map[string]chan struct{} // ids that somebody hands out or fetches
	used map[string]use           // by id
}

var _ engine.Sealer = (*Keys)(nil)

// New makes the keys of a member.
func New(o Options) (*Keys, error) {
	k := &Keys{Ring: o.Ring, o: o, busy: map[string]chan struct{}{}, used: map[string]use{}}
	var err error
	if k.destroyed, err = readLines(filepath.Join(o.Dir, "destroyed")); err == nil {
		k.held, err = readLines(filepath.Join(o.Dir, "held"))
	}
	if err != nil {
		return nil, err
	}
	return k, nil
}

// Serve answers the others from now on.
func (k *Keys) Serve() {
	k.o.Wire.Answer(servicePut, k.answerPut)
	k.o.Wire.Answer(serviceTake, k.answerTake)
	k.o.Wire.Answer(serviceGone, k.answerGone)
	k.o.Wire.Answer(serviceEnd, func(_ context.Context, from string, note []byte) ([]byte, error) {
		if err := k.shares(from); err != nil {
			return nil, err
		}
		return nil, k.Note(from, note)
	})
}

// shares reports why a node has no say about keys.
func (k *Keys) shares(node string) error {
	if slices.Contains(k.others(), node) {
		return nil
	}
	return errors.New("keys: a witness gets no keys, and gives none")
}

// mine reports whether only this member seals rows of a subject, such as a window. Then no
// other member needs its key.
func (k *Keys) mine(subject string) bool {
	return subject == "" || subject == k.o.Node || strings.HasSuffix(subject, "@"+k.o.Node)
}

// Ready implements [engine.Sealer].
func (k *Keys) Ready(subject string) error {
	if print, ok := k.Print(subject); k.mine(subject) || ok && k.held.has(print) {
		return k.Ring.Ready(subject)
	}
	name, err := k.IDOf(subject)
	if err != nil {
		return err
	}
	defer k.hold(name)()
	s, ok, err := k.Take(name)
	if err == nil && ok && (k.held.has(s.Fingerprint) || k.seen(name) == use{s.Fingerprint, true}) {
		return k.Ring.Ready(subject)
	}
	if err == nil && !ok {
		s, ok = k.fetch(name)
	}
	if err == nil && !ok {
		s, err = k.Draw(name)
	}
	if err == nil {
		s, err = k.handOut(s)
	}
	if errors.Is(err, ErrFew) && k.seen(name).key == s.Fingerprint && !k.goneElsewhere(s.Fingerprint) {
		k.see(name, use{s.Fingerprint, true})
		return k.Ring.Ready(subject)
	}
	if err == nil {
		err = k.Put(s, true)
	}
	if err == nil {
		err = k.held.add(s.Fingerprint)
	}
	if err != nil {
		return err
	}
	return k.Ring.Ready(subject)
}

// Seal implements [engine.Sealer].
func (k *Keys) Seal(to []byte, subject string, place, plain []byte) ([]byte, error) {
	if err := k.Ready(subject); err != nil {
		return nil, err
	}
	return k.Ring.Seal(to, subject, place, plain)
}

// Open implements [engine.Sealer].
func (k *Keys) Open(place, sealed []byte) ([]byte, error) {
	plain, err := k.Ring.Open(place, sealed)
	name, shared := keyring.KeyID(sealed)
	if err == nil && shared {
		k.opened(name)
	}
	if err == nil || !shared || !errors.Is(err, engine.ErrNoKey) {
		return plain, err
	}
	defer k.hold(name)()
	if _, ok, terr := k.Take(name); ok || terr != nil {
		return plain, err // it is here, and does not open the row
	}
	s, ok := k.fetch(name)
	if !ok {
		return plain, err
	}
	if perr := k.Put(s, false); perr != nil {
		return plain, errors.Join(err, perr)
	}
	return k.Ring.Open(place, sealed)
}

// use is the fingerprint of a key with which something is sealed, and whether those who might have said that it was
// destroyed were away when they were asked. Whoever sealed it had made sure that enough members have the key.
type use struct {
	key   string
	asked bool
}

// goneElsewhere reports whether a member that answers has destroyed a key.
func (k *Keys) goneElsewhere(fingerprint string) bool {
	return slices.ContainsFunc(k.askAll(serviceGone, []byte(fingerprint), 0, nil), func(g got) bool {
		return g.err == nil && string(g.raw) == "gone"
	})
}

// opened notes that something is sealed with the key of a name, as it is now.
func (k *Keys) opened(name string) {
	if k.seen(name).key != "" {
		return
	}
	if s, ok, err := k.Take(name); err == nil && ok {
		k.see(name, use{key: s.Fingerprint})
	}
}

func (k *Keys) see(name string, u use) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.used[name] = u
}

func (k *Keys) seen(name string) use {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.used[name]
}

// Destroy implements [engine.Sealer]: first the log holds that the key is to go.
func (k *Keys) Destroy(subject string) error {
	key, ok, err := k.KeyOf(subject)
	if err != nil || !ok || k.mine(subject) {
		return errors.Join(err, k.Ring.Destroy(subject))
	}
	note, err := json.Marshal(key)
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	ctx, done := context.WithTimeout(context.Background(), 5*askWithin)
	defer done()
	if err := k.o.Announce(ctx, Topic, note); err != nil {
		return fmt.Errorf("keys: the members cannot be told to destroy a key: try again: %w", err)
	}
	return errors.Join(k.destroy(key), k.Ring.Destroy(subject))
}

// Note carries out a note of the log, durably. An error that wraps [keyring.ErrShared] stays.
func (k *Keys) Note(_ string, note []byte) error {
	var key engine.Key
	if json.Unmarshal(note, &key) != nil {
		return keyring.ErrShared
	}
	if err := keyring.CheckKey(key); err != nil {
		return err
	}
	return k.destroy(key)
}

func (k *Keys) destroy(key engine.Key) error {
	if err := k.destroyed.add(key.Fingerprint); err != nil {
		return err
	}
	return k.DestroyKey(key)
}

// Unanswered names the members that have not yet said that they destroyed keys.
func (k *Keys) Unanswered(ctx context.Context, keys []engine.Key) (nodes []string) {
	for _, m := range k.others() {
		for _, key := range keys {
			if got, err := k.ask(ctx, m, serviceGone, []byte(key.Fingerprint)); err != nil || string(got) != "gone" {
				nodes = append(nodes, m)
				break
			}
		}
	}
	return nodes
}

// hold makes sure that only one caller at a time deals with a key; the result lets go.
func (k *Keys) hold(name string) (release func()) {
	for {
		k.mu.Lock()
		wait, busy := k.busy[name]
		if !busy {
			mine := make(chan struct{})
			k.busy[name] = mine
			k.mu.Unlock()
			return func() {
				k.mu.Lock()
				delete(k.busy, name)
				k.mu.Unlock()
				close(mine)
			}
		}
		k.mu.Unlock()
		<-wait
	}
}

// others are the other members that have keys.
func (k *Keys) others() (nodes []string) {
	for _, m := range k.o.Members() {
		if m.Node != k.o.Node && m.Role != cluster.Witness {
			nodes = append(nodes, m.Node)
		}
	}
	return nodes
}

// enough is how many members must have a key so that every majority has one of them that
// holds it; who has no vote does not count.
func enough(members []cluster.Peer) int {
	voters, holders := 0, 0
	for _, m := range members {
		switch m.Role {
		case cluster.Voter:
			voters, holders = voters+1, holders+1
		case cluster.Witness:
			voters++
		}
	}
	return min(voters/2+1, holders)
}

func (k *Keys) ask(ctx context.Context, node, service string, request []byte) ([]byte, error) {
	ctx, done := context.WithTimeout(ctx, askWithin)
	defer done()
	return k.o.Wire.Ask(ctx, node, service, request)
}

// fetch asks the others for a key.
func (k *Keys) fetch(name string) (s keyring.Shared, ok bool) {
	for _, node := range k.others() {
		raw, err := k.ask(context.Background(), node, serviceTake, []byte(name))
		if err == nil && json.Unmarshal(raw, &s) == nil && s.ID == name && !k.destroyed.has(s.Fingerprint) {
			return s, true
		}
	}
	return keyring.Shared{}, false
}

// handOut gives a key to the others until enough have it. One that has another key for the
// same subject keeps it if enough have that.
func (k *Keys) handOut(s keyring.Shared) (keyring.Shared, error) {
	for range 3 {
		raw, err := json.Marshal(put{Shared: s})
		if err != nil {
			return s, fmt.Errorf("keys: %w", err)
		}
		have, votes := 0, k.voters()
		if slices.Contains(votes, k.o.Node) {
			have = 1
		}
		var other *keyring.Shared
		var late []string // have another key
		told := false     // somebody who has not come to the note of a destroyed key
		for _, got := range k.askAll(servicePut, raw, enough(k.o.Members())-have, votes) {
			var a answer
			switch {
			case got.err != nil || json.Unmarshal(got.raw, &a) != nil:
			case a.Other != nil && k.destroyed.has(a.Other.Fingerprint):
				told = k.tell(got.node, a.Other.Key) || told
			case a.Other != nil:
				other, late = a.Other, append(late, got.node)
			case slices.Contains(votes, got.node):
				have++
			}
		}
		if have >= enough(k.o.Members()) {
			return s, k.replace(s, late)
		}
		switch {
		case other != nil:
			s = *other
		case !told:
			return s, ErrFew
		}
	}
	return s, ErrFew
}

// tell has a member destroy a key before it comes to the note in the log.
func (k *Keys) tell(node string, key engine.Key) bool {
	note, err := json.Marshal(key)
	if err == nil {
		_, err = k.ask(context.Background(), node, serviceEnd, note)
	}
	return err == nil
}

// voters are the members that count.
func (k *Keys) voters() (nodes []string) {
	for _, m := range k.o.Members() {
		if m.Role == cluster.Voter {
			nodes = append(nodes, m.Node)
		}
	}
	return nodes
}

// replace tells members to take a key that enough others have instead of theirs, which has
// sealed nothing.
func (k *Keys) replace(s keyring.Shared, nodes []string) error {
	raw, err := json.Marshal(put{Shared: s, Replace: true})
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	for _, node := range nodes {
		_, _ = k.ask(context.Background(), node, servicePut, raw) // else it fetches the key when it needs it
	}
	return nil
}

type got struct {
	node string
	raw  []byte
	err  error
}

// askAll asks all others at once. It does not wait long for the rest once so many of some members
// have agreed.
func (k *Keys) askAll(service string, request []byte, need int, of []string) []got {
	nodes := k.others()
	list := make([]got, len(nodes))
	ctx, done := context.WithCancel(context.Background())
	defer done()
	if need <= 0 {
		defer time.AfterFunc(restWithin, done).Stop()
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i, node := range nodes {
		all.Go(func() {
			raw, err := k.ask(ctx, node, service, request)
			list[i] = got{node, raw, err}
			var a answer
			if err != nil || json.Unmarshal(raw, &a) != nil || a.Other != nil || !slices.Contains(of, node) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			if need--; need == 0 {
				time.AfterFunc(restWithin, done)
			}
		})
	}
	all.Wait()
	return list
}

// put hands a key to a member.
type put struct {
	keyring.Shared
	Replace bool `json:"replace,omitempty"`
}

// answer is what the member says: nothing if it has the key now, or the other one that it
// has.
type answer struct {
	Other *keyring.Shared `json:"other,omitempty"`
}

func (k *Keys) answerPut(_ context.Context, from string, request []byte) ([]byte, error) {
	if err := k.shares(from); err != nil {
		return nil, err
	}
	var p put
	if json.Unmarshal(request, &p) != nil {
		return nil, keyring.ErrShared
	}
	if k.destroyed.has(p.Fingerprint) {
		return nil, fmt.Errorf("keys: the key %s was destroyed", p.ID)
	}
	var a answer
	mine, there, err := k.Take(p.ID)
	if err == nil { // what rows are sealed with is replaced by nothing
		err = k.Put(p.Shared, p.Replace && !(there && k.held.has(mine.Fingerprint)))
	}
	if errors.Is(err, keyring.ErrOther) {
		var s keyring.Shared
		if s, _, err = k.Take(p.ID); err == nil {
			a.Other = &s
		}
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(a)
}

func (k *Keys) answerTake(_ context.Context, from string, request []byte) ([]byte, error) {
	if err := k.shares(from); err != nil {
		return nil, err
	}
	s, ok, err := k.Take(string(request))
	if err == nil && !ok {
		err = errors.New("keys: there is no such key here")
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(s)
}

func (k *Keys) answerGone(_ context.Context, _ string, request []byte) ([]byte, error) {
	if k.destroyed.has(string(request)) {
		return []byte("gone"), nil
	}
	return []byte("here"), nil
}
