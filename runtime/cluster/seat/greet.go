package seat

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// greeting is what members tell each other every few seconds, both ways.
type greeting struct {
	Node    string `json:"node"`
	Address string `json:"address"` // where it listens now
	Book    uint64 `json:"book"`    // version
	Applied uint64 `json:"applied"` // index of the log
	// Now is its clock, zero from an older version.
	Now time.Time `json:"now,omitzero"`
	// Sharing is zero from an older version, and from a witness.
	Sharing cluster.Sharing `json:"sharing,omitzero"`
}

func (s *Seat) greeting() greeting {
	return greeting{Node: s.id.Node(), Address: s.wires.Addr().String(), Book: s.id.Book().Version,
		Applied: s.member.Status().Applied, Now: s.o.now(), Sharing: s.o.Sharing}
}

// greet greets a member, by name or by address.
func (s *Seat) greet(ctx context.Context, to string) error {
	ctx, done := context.WithTimeout(ctx, greetWithin)
	defer done()
	raw, err := json.Marshal(s.greeting())
	if err == nil {
		raw, err = s.wires.Ask(ctx, to, serviceGreet, raw)
	}
	var g greeting
	if err == nil {
		err = json.Unmarshal(raw, &g)
	}
	if err != nil {
		return err
	}
	s.met(g)
	if g.Book <= s.id.Book().Version {
		return nil
	}
	raw, err = s.wires.Ask(ctx, g.Node, serviceBook, nil)
	if err != nil {
		return err
	}
	return s.learn(raw)
}

// askWithin is how long a start waits for members that do not answer.
const askWithin = 2 * time.Second

// ask fetches the newest book that a member has, before this machine takes its seat.
func (s *Seat) ask() {
	var all sync.WaitGroup
	for _, m := range s.id.Book().Members {
		if m.Node == s.id.Node() {
			continue
		}
		all.Go(func() {
			ctx, done := context.WithTimeout(context.Background(), askWithin)
			defer done()
			raw, err := s.wires.Ask(ctx, m.Node, serviceBook, nil)
			if err == nil {
				_ = s.learn(raw) // an older one changes nothing
			}
		})
	}
	all.Wait()
}

// met notes that a member is there, and where.
func (s *Seat) met(g greeting) {
	m, ok := s.id.Book().Member(g.Node)
	if !ok {
		return
	}
	if g.Address != m.Address {
		s.wires.Moved(g.Node, g.Address)
	}
	s.trouble(clockOf+g.Node, skewed(g, s.o.now()))
	mine := s.member.Status().Applied
	s.mu.Lock()
	defer s.mu.Unlock()
	s.contact[g.Node], s.sharing[g.Node], s.silent[g.Node] = s.o.now(), g.Sharing, false
	s.had[g.Node] = had{its: g.Applied, mine: mine}
}

// maxSkew is how far apart clocks may be. Order in the cluster needs none; times that people see, and
// reminders, do.
const (
	maxSkew = 2 * time.Minute
	clockOf = "clock of "
)

// skewed reports a clock that differs from this machine's.
func skewed(g greeting, now time.Time) error {
	ahead := g.Now.Sub(now).Round(time.Second)
	if g.Now.IsZero() || ahead.Abs() <= maxSkew {
		return nil
	}
	side := "ahead of"
	if ahead < 0 {
		side = "behind"
	}
	return fmt.Errorf("the clock of %s is %v %s this machine's: set the wrong one, or times and reminders are wrong: "+
		"sudo sntp -sS time.apple.com on a Mac, sudo timedatectl set-ntp true on Linux", g.Node, ahead.Abs(), side)
}

// learn takes over a book, from the log or from a member that has a newer one.
func (s *Seat) learn(raw []byte) error {
	b, err := identity.ReadBook(raw)
	if err == nil {
		err = s.id.Learn(b)
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	close(s.learned)
	s.learned = make(chan struct{})
	s.mu.Unlock()
	s.wires.Sweep()
	held, err := s.generation()
	if held != 0 && held < b.Generation && b.Founder != s.id.Node() {
		s.broken(s.deposed(b))
	}
	return err
}

// answerFirst answers what needs no place in the log: a member that starts asks for it before it
// takes its own.
func (s *Seat) answerFirst() {
	s.wires.Answer(serviceBook, func(context.Context, string, []byte) ([]byte, error) {
		return json.Marshal(s.id.Book())
	})
	s.wires.Answer(serviceRenew, func(_ context.Context, from string, request []byte) ([]byte, error) {
		return s.id.Reissue(from, request, s.o.now())
	})
	s.wires.Answer(serviceKeys, func(_ context.Context, from string, _ []byte) ([]byte, error) {
		if !s.acts(from) {
			return nil, errors.New("seat: a witness gets no keys")
		}
		return packKeys(s.keysDir())
	})
}

// answer answers the rest, once this machine has its place.
func (s *Seat) answer(replica *engine.Replica) {
	s.wires.Answer(serviceGreet, func(_ context.Context, from string, request []byte) ([]byte, error) {
		var g greeting
		if json.Unmarshal(request, &g) != nil || g.Node != from {
			return nil, errors.New("seat: this is no greeting")
		}
		s.met(g)
		return json.Marshal(s.greeting())
	})
	s.wires.Answer(serviceForgotten, s.answerForgotten)
	s.wires.Answer(serviceLeave, func(ctx context.Context, from string, _ []byte) ([]byte, error) {
		return nil, s.Expel(ctx, from)
	})
	s.wires.Answer(serviceStranded, func(ctx context.Context, from string, _ []byte) ([]byte, error) {
		n, err := s.Stranded(ctx, from)
		if err != nil {
			return nil, err
		}
		return json.Marshal(n)
	})
	s.wires.Answer(servicePass, func(_ context.Context, from string, form []byte) ([]byte, error) {
		if !s.acts(from) {
			return nil, errors.New("seat: a witness runs no actors")
		}
		return nil, replica.Receive(from, form)
	})
	if s.keys != nil {
		s.keys.Serve()
	}
}

// acts reports whether a node is a member that runs actors: no witness.
func (s *Seat) acts(node string) bool {
	m, ok := s.id.Book().Member(node)
	return ok && m.Role != cluster.Witness
}

func (s *Seat) keysDir() string { return filepath.Join(s.o.Data, "keys") }

// maxKeys bounds what is unpacked of another member's keys, in bytes.
const maxKeys = 256 << 20

// packKeys writes all keys for another member; a key is random, but the form around it is
// not.
func packKeys(dir string) ([]byte, error) {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := keyring.Share(dir, z); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("seat: %w", err)
	}
	return b.Bytes(), nil
}

// change changes the book, the same everywhere. The first change in the log to make a
// version wins; who lost tries again on the book that won, until nothing is left to do.
func (s *Seat) change(ctx context.Context, to func(identity.Book) (identity.Book, error)) error {
	ctx, done := context.WithTimeout(ctx, changeWait)
	defer done()
	for {
		before := s.id.Book()
		next, err := to(before)
		if err != nil || reflect.DeepEqual(next, before) {
			return err
		}
		next.Version++
		if next, err = s.id.Seal(next); err != nil {
			return err
		}
		raw, err := json.Marshal(next)
		if err != nil {
			return fmt.Errorf("seat: %w", err)
		}
		if err = s.member.Announce(ctx, noteBook, raw); err == nil {
			err = s.waitForBook(ctx, next.Version)
		}
		if err != nil {
			return fmt.Errorf("seat: the members cannot agree on this now: start more of them, and try again: %w", err)
		}
	}
}

func (s *Seat) waitForBook(ctx context.Context, version uint64) error {
	for {
		s.mu.Lock()
		learned := s.learned
		s.mu.Unlock()
		if s.id.Book().Version >= version {
			return nil
		}
		select {
		case <-learned:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
