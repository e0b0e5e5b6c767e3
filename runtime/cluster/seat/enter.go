package seat

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/invite"
	"github.com/kehai-run/kehai/runtime/cluster/transport"
	"github.com/kehai-run/kehai/runtime/keyring"
)

// ErrStore says that a machine that wants to join has conversations of its own.
var ErrStore = errors.New("conversations are stored on this machine already, and a cluster has one store: " +
	"keep a copy (`kehai backup`, `kehai key backup`) and give an empty --data DIR, or join the other machine to " +
	"this one")

// Join makes this machine a member with a code. Nothing may be stored on it; a witness
// stores nothing ever.
func Join(ctx context.Context, o Options, code string, role cluster.Role) (*identity.Identity, error) {
	o.defaults()
	c, err := invite.Parse(code)
	if err != nil {
		return nil, err
	}
	if identity.Exists(o.Data) {
		return nil, fmt.Errorf("seat: %w", identity.ErrThere)
	}
	for _, name := range []string{"store", "keys"} {
		if files, err := os.ReadDir(filepath.Join(o.Data, name)); err == nil && len(files) > 0 {
			return nil, fmt.Errorf("seat: %s: %w", filepath.Join(o.Data, name), ErrStore)
		}
	}
	at, err := listenAt(o.Listen, "", o.networks)
	if err != nil {
		return nil, err
	}
	r, key, err := identity.Ask(cluster.Peer{Node: o.Node, Address: at, Role: role})
	if err != nil {
		return nil, err
	}
	g, err := invite.Join(ctx, c, r, nil)
	if err != nil {
		return nil, err
	}
	id, err := identity.Enter(o.Data, r, key, g)
	if err != nil || role == cluster.Witness {
		return id, err
	}
	s, err := Open(o)
	if err != nil {
		return id, err
	}
	return id, s.visit(func() error { return s.fetchKeys(ctx) })
}

// visit does something with the wires of a machine that does not run.
func (s *Seat) visit(do func() error) (err error) {
	s.wires, err = transport.Listen(transport.Options{Identity: s.id, Now: s.o.now})
	if err != nil {
		return err
	}
	return errors.Join(do(), s.wires.Close())
}

// fetchKeys gets the keys that this machine lacks from whoever answers first.
func (s *Seat) fetchKeys(ctx context.Context) error {
	return s.askAny(ctx, serviceKeys, func(raw []byte) error {
		z, err := gzip.NewReader(bytes.NewReader(raw))
		if err == nil {
			_, err = keyring.Restore(s.keysDir(), io.LimitReader(z, maxKeys))
		}
		return err
	})
}

// askAny asks the members one after the other, until one has an answer that can be used.
func (s *Seat) askAny(ctx context.Context, service string, use func([]byte) error) error {
	failed := errors.New("seat: no other member answers: start one, and try again")
	for _, m := range s.id.Book().Members {
		if m.Node == s.id.Node() {
			continue
		}
		one, done := context.WithTimeout(ctx, changeWait)
		raw, err := s.wires.Ask(one, m.Node, service, nil)
		done()
		if err == nil {
			err = use(raw)
		}
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", m.Node, err))
	}
	return failed
}

// Leave takes this machine, whose Kehai does not run, out of its cluster. Its copy of the
// conversations goes with it: the others have them. The last member keeps them, and is
// alone again. Forced, nobody is told: the others remove it themselves.
func Leave(ctx context.Context, o Options, force bool) (last bool, err error) {
	o.defaults()
	if !force {
		s, err := Open(o)
		if err != nil {
			return false, err
		}
		if last = len(s.id.Book().Members) == 1; !last {
			err = s.visit(func() error { return s.askAny(ctx, serviceLeave, func([]byte) error { return nil }) })
			if err != nil {
				return false, err
			}
		}
	}
	if last {
		return true, identity.Leave(o.Data)
	}
	for _, name := range []string{"keys", "store", "inhand"} { // without the keys the rest is unreadable
		if err := os.RemoveAll(filepath.Join(o.Data, name)); err != nil {
			return false, fmt.Errorf("seat: %w", err)
		}
	}
	return false, identity.Leave(o.Data)
}
