package seat

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/invite"
	"github.com/kehai-run/kehai/runtime/cluster/transport"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
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
	s.wires, err = transport.Listen(transport.Options{Identity: s.id, Now: s.o.now, Dial: s.o.Dial})
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

// errRefused says that a member answers, and wants nothing to do with this machine.
var errRefused = errors.New("the others refuse this machine: if `kehai cluster status` there does not list it, it " +
	"was taken out, and `kehai cluster leave --force` puts its copy of the conversations aside; else set the clocks")

// askAny asks the members one after the other, until one has an answer that can be used.
func (s *Seat) askAny(ctx context.Context, service string, use func([]byte) error) error {
	why, failed := errors.New("no other member answers: start one, and try again"), error(nil)
	for _, m := range s.id.Book().Members {
		if m.Node == s.id.Node() || m.Role == cluster.Witness { // it has no keys, and says nothing
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
		if shutOut(err) {
			why = errRefused
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", m.Node, err))
	}
	return fmt.Errorf("seat: %w", errors.Join(why, failed))
}

// Stranded asks the others how many actors wait once this machine, whose Kehai does not run, has left. The last member
// has nobody to ask, and an older one does not know: none.
func Stranded(ctx context.Context, o Options) (n int, err error) {
	o.defaults()
	s, err := Open(o)
	if err != nil || len(s.id.Book().Members) == 1 {
		return 0, err
	}
	return n, s.visit(func() error {
		// Leave says why nobody answers.
		_ = s.askAny(ctx, serviceStranded, func(raw []byte) error { return json.Unmarshal(raw, &n) })
		return nil
	})
}

// Unfit counts what would ask models that are too far away once this machine, whose Kehai does not run and which is the
// last member, has left and is alone. Of another one it is 0: it puts its store aside.
func Unfit(o Options, open func() (engine.Store, error)) (n int, err error) {
	o.defaults()
	s, err := Open(o)
	if err != nil || len(s.id.Book().Members) > 1 || !s.Belongs(s.id.Node()) {
		return 0, err
	}
	if held, err := s.generation(); err != nil || held == 0 { // it has not run as a member yet
		return 0, err
	}
	st, err := open()
	if err != nil {
		return 0, err
	}
	n, err = engine.Unfit(st, o.Zone)
	return n, errors.Join(err, st.Close())
}

// Leave takes this machine, whose Kehai does not run, out of its cluster. Its copy of the
// conversations is put aside in a directory, in case the others lack some of it. The last
// member keeps its copy and is alone again: aside is "" then. If forced, it leaves
// without telling anybody.
func Leave(ctx context.Context, o Options, force bool) (aside string, err error) {
	o.defaults()
	if !force {
		s, err := Open(o)
		if err != nil {
			return "", err
		}
		if !s.Belongs(s.id.Node()) {
			return "", fmt.Errorf("seat: %w", ErrRemoved) // the one that is left may be another
		}
		if len(s.id.Book().Members) == 1 {
			return "", identity.Leave(o.Data)
		}
		err = s.visit(func() error { return s.askAny(ctx, serviceLeave, func([]byte) error { return nil }) })
		if err != nil && s.twoAct() {
			err = fmt.Errorf("seat: of two members only the one that follows can leave by itself. For the other one, "+
				"promote that first: stop Kehai there and `kehai cluster promote`; then `kehai cluster leave --force` "+
				"here, and `kehai cluster remove %s` there: %w", s.id.Node(), err)
		}
		if err != nil {
			return "", err
		}
	}
	aside = o.asideNow()
	// Without the keys the rest is unreadable.
	return aside, errors.Join(o.putAside(aside, "keys", "store", "inhand"), identity.Leave(o.Data))
}

// twoAct reports whether there are two members, and none is a witness.
func (s *Seat) twoAct() bool {
	list := s.id.Book().Members
	witness := func(m identity.Member) bool { return m.Role == cluster.Witness }
	return len(list) == 2 && !slices.ContainsFunc(list, witness)
}

func (o *Options) asideNow() string {
	return filepath.Join(o.Data, "aside-"+o.now().UTC().Format("20060102T150405Z"))
}

// putAside moves what this machine held of the cluster into a directory.
func (o *Options) putAside(to string, names ...string) error {
	for _, name := range names {
		from := filepath.Join(o.Data, name)
		if _, err := os.Lstat(from); err != nil {
			continue
		}
		err := private.Make(to, private.Closed)
		if err == nil {
			err = os.Rename(from, filepath.Join(to, name))
		}
		if err != nil {
			return fmt.Errorf("seat: %w", err)
		}
	}
	return nil
}

// Restore has this machine, whose Kehai does not run, begin the cluster anew with what restore puts
// into DATA/store, which must be a backup. The present store is put aside. The others, whose later
// conversations the backup does not have, are deposed as by [Promote].
func Restore(o Options, restore func() error) (aside string, err error) {
	o.defaults()
	s, err := Open(o)
	if err != nil {
		return "", err
	}
	if s.me().Role == cluster.Witness {
		return "", errors.New("seat: a witness holds nothing: restore the backup on another member")
	}
	aside = o.asideNow()
	if err := o.putAside(aside, "store", "inhand"); err != nil {
		return "", err
	}
	if err := restore(); err != nil {
		return "", errors.Join(err, o.putBack(aside))
	}
	if err := s.decide(); err != nil {
		return aside, err
	}
	// From here on the log is new. The next start deletes the rest of the old one.
	if err := os.Remove(s.generationFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return aside, fmt.Errorf("seat: %w", err)
	}
	return aside, nil
}

// putBack undoes putAside.
func (o *Options) putBack(aside string) error {
	files, err := os.ReadDir(aside)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		to := filepath.Join(o.Data, f.Name())
		if err == nil {
			err = os.RemoveAll(to) // what came of the backup
		}
		if err == nil {
			err = os.Rename(filepath.Join(aside, f.Name()), to)
		}
	}
	if err == nil {
		err = os.Remove(aside)
	}
	if err != nil {
		return fmt.Errorf("seat: what was stored is in %s: %w", aside, err)
	}
	return nil
}

// decide makes this machine the founder of the next generation.
func (s *Seat) decide() error {
	b := s.id.Book()
	// Far ahead: whoever is lost may have changed the book meanwhile.
	b.Version, b.Generation, b.Founder = b.Version+identity.Leap, b.Generation+1, s.id.Node()
	return s.id.Keep(b)
}

// Promote lets this machine, whose Kehai does not run, decide alone from its next start
// on, because the members that decided are lost. If one of them comes back and reaches
// this machine, it learns of this before it does anything; else two machines act at once.
func Promote(o Options) error {
	o.defaults()
	s, err := Open(o)
	if err != nil {
		return err
	}
	held, err := s.generation()
	switch {
	case err != nil:
		return err
	case s.me().Role == cluster.Witness:
		return errors.New("seat: a witness holds nothing: promote another member")
	case held == 0:
		return errors.New("seat: this machine holds nothing of the cluster yet: `kehai run` on the others first")
	}
	return s.decide()
}
