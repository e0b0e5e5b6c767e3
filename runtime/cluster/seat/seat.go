package seat

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/invite"
	"github.com/kehai-run/kehai/runtime/cluster/journal"
	"github.com/kehai-run/kehai/runtime/cluster/keys"
	"github.com/kehai-run/kehai/runtime/cluster/transport"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
)

// Options say how a machine takes its seat.
type Options struct {
	Data   string
	Node   string
	Listen string   // HOST:PORT, see the configuration; "" chooses
	Seeds  []string // addresses at which members may be found
	Log    zerolog.Logger
	Timing journal.Timing
	// Key reads the key of the store, nil if it has none; the log is encrypted with it too. Nil: none.
	Key  func() ([]byte, error)
	Dial transport.Dial // nil: the system's
	// Zone says in words how near the models of this machine are, see [engine.ReplicaOptions] and
	// admin.ZoneOf, which makes it of a configuration. "" binds nothing: what began here may be told to the
	// models of every other member, also where llm.tier is local. The status of a cluster shows it.
	Zone string
	// Sharing is what this machine's configuration says of the memory; the others are told.
	Sharing cluster.Sharing

	now      func() time.Time
	networks interfaces
	volume   func(engine.Store) engine.Store // of the log, with the space that it has
}

// Times.
const (
	greetEvery  = 5 * time.Second
	greetWithin = 4 * time.Second
	changeWait  = 20 * time.Second
	upFor       = 3 * greetEvery // after the last answer
	passWithin  = 2 * time.Second
	sayRefused  = time.Minute
)

// maxTurned is of how many hosts it is said one by one that they were refused.
const maxTurned = 256

// How many fleeting messages wait, and are sent at once.
const (
	maxPassing = 256
	passers    = 4
)

// The services of a member.
const (
	serviceGreet = "greet"
	serviceBook  = "book"
	serviceKeys  = "keys"
	serviceLeave = "leave"
	serviceRenew = "renew"
	// serviceStranded counts what waits without the asker.
	serviceStranded = "stranded"
	servicePass     = "pass"
	// serviceForgotten says whether all is gone that was kept of conversations.
	serviceForgotten = "forgotten"
)

// Topics of notes in the log: of books, and of empty ones.
const (
	noteBook   = "book"
	noteSettle = "settle"
)

// Seat is this machine as a running member. Its methods may be called concurrently.
type Seat struct {
	o       Options
	id      *identity.Identity
	wires   *transport.Transport
	member  *journal.Journal // set by Start, before anybody can ask for what needs it
	log     engine.Store     // of the member
	keys    *keys.Keys
	issuer  invite.Issuer
	passing chan passing
	broken  func(error) // ends the run
	forgets func(conversations []string) error

	mu       sync.Mutex
	contact  map[string]time.Time       // by node: when it last answered
	had      map[string]had             // by node: when it last answered
	learned  chan struct{}              // closed and replaced when the book changes
	problems map[string]string          // by what they are about
	sharing  map[string]cluster.Sharing // by node, as it told last
	shut     map[string]bool            // by node: it refuses this machine's certificate
	silent   map[string]bool            // by node: it did not answer when it was greeted last
	lost     time.Time                  // since when nobody decides; zero: somebody does
	turned   map[string]turned          // by host
}

// had is how many changes a member and this one had at one time.
type had struct{ its, mine uint64 }

func (o *Options) defaults() {
	if o.now == nil {
		o.now = time.Now
	}
	if o.Key == nil {
		o.Key = func() ([]byte, error) { return nil, nil }
	}
	if o.networks == nil {
		o.networks = systemInterfaces
	}
	if o.volume == nil {
		o.volume = func(st engine.Store) engine.Store { return st }
	}
}

// Found begins a cluster of this machine.
func Found(o Options) (*identity.Identity, error) {
	o.defaults()
	at, err := listenAt(o.Listen, "", o.networks)
	if err != nil {
		return nil, err
	}
	return identity.Found(o.Data, o.Node, at, o.now())
}

// Open reads the identity of this machine. Nothing is connected before Start.
func Open(o Options) (*Seat, error) {
	o.defaults()
	id, err := identity.Open(o.Data, o.Node, o.now())
	if err != nil {
		return nil, err
	}
	return &Seat{o: o, id: id, contact: map[string]time.Time{}, had: map[string]had{},
		learned: make(chan struct{}), passing: make(chan passing, maxPassing),
		problems: map[string]string{}, shut: map[string]bool{}, silent: map[string]bool{},
		sharing: map[string]cluster.Sharing{},
		turned:  map[string]turned{}}, nil
}

// Identity is what this machine is.
func (s *Seat) Identity() *identity.Identity { return s.id }

// me is this machine in the book.
func (s *Seat) me() identity.Member {
	m, _ := s.id.Book().Member(s.id.Node())
	return m
}

// Start connects this machine with the others: the replica takes part in the log from now
// on, and what is sealed with the keys is readable for all members.
func (s *Seat) Start(st engine.Store, kinds []engine.Kind, sealer engine.Sealer, broken func(error)) (
	*engine.Replica, engine.Sealer, error) {
	if s.me().Role == cluster.Witness {
		return nil, nil, errors.New("seat: this machine is a witness, and runs no actors: `kehai cluster witness`")
	}
	ring, ok := sealer.(*keyring.Ring)
	if !ok {
		return nil, nil, errors.New("seat: a cluster shares the keys of the data directory, and this Kehai has others")
	}
	replica, err := s.start(st, kinds, ring, broken)
	if err != nil {
		return nil, nil, err
	}
	return replica, s.keys, nil
}

// Witness is Start for a witness: it votes, and keeps a copy that it cannot read.
func (s *Seat) Witness(st engine.Store, broken func(error)) error {
	if s.me().Role != cluster.Witness {
		return errors.New("seat: this machine is no witness: `kehai run`; a witness joins with " +
			"`kehai cluster witness CODE`")
	}
	_, err := s.start(st, nil, nil, broken)
	return err
}

// start connects this machine. Without a ring it is a witness.
func (s *Seat) start(st engine.Store, kinds []engine.Kind, ring *keyring.Ring, broken func(error)) (
	*engine.Replica, error) {
	if _, ok := s.id.Book().Member(s.id.Node()); !ok {
		return nil, fmt.Errorf("seat: %w", ErrRemoved)
	}
	at, err := listenAt(s.o.Listen, s.me().Address, s.o.networks)
	if err != nil {
		return nil, err
	}
	s.wires, err = transport.Listen(transport.Options{Identity: s.id, Address: at, Now: s.o.now, Dial: s.o.Dial,
		Refused: s.refused,
		Guests:  transport.Guests{Protocol: invite.Protocol, Open: s.issuer.Open, Serve: s.welcome}})
	if err != nil {
		return nil, err
	}
	s.broken = broken
	s.answerFirst()
	s.ask() // before this machine decides anything
	if ring != nil {
		if err := s.share(ring); err != nil {
			return nil, errors.Join(err, s.Close())
		}
	}
	replica, err := s.take(st, kinds, broken)
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.answer(replica)
	return replica, nil
}

// share shares the keys of a ring with the other members.
func (s *Seat) share(ring *keyring.Ring) (err error) {
	s.keys, err = keys.New(keys.Options{Ring: ring, Dir: identity.Dir(s.o.Data), Node: s.id.Node(), Wire: s.wires,
		Members: func() []cluster.Peer { return s.peers() },
		Announce: func(ctx context.Context, topic string, note []byte) error {
			return s.member.Announce(ctx, topic, note)
		}})
	return err
}

// take takes this machine's place in the replicated log.
func (s *Seat) take(st engine.Store, kinds []engine.Kind, broken func(error)) (*engine.Replica, error) {
	replica, err := engine.NewReplica(engine.ReplicaOptions{Node: s.id.Node(), Store: st, Kinds: kinds, Zone: s.o.Zone,
		Note: s.note, Pass: s.pass})
	if err != nil {
		return nil, err
	}
	held, err := s.generation()
	if err != nil {
		return nil, err
	}
	if err := s.knows(replica); err != nil && held != 0 {
		return nil, err
	}
	b := s.id.Book()
	mine := b.Founder == s.id.Node()
	switch {
	case held == 0 && mine: // one that was interrupted begins anew
		if err := os.RemoveAll(s.logDir()); err != nil {
			return nil, fmt.Errorf("seat: %w", err)
		}
	case held != 0 && held < b.Generation && !mine:
		return nil, s.deposed(b)
	}
	key, err := s.o.Key()
	if err != nil {
		return nil, err
	}
	if s.log, err = s.openLog(key); err != nil {
		return nil, err
	}
	o := journal.Options{Node: s.id.Node(), Address: s.id.Node(), Replica: replica, Network: s.wires,
		Store: s.o.volume(s.log), Dir: filepath.Join(s.logDir(), snapshotsDir), Key: key, Log: s.o.Log,
		Timing: s.o.Timing, Broken: broken, May: s.acts}
	switch {
	case held == 0 && mine:
		err = journal.Found(o)
	case held < b.Generation && mine:
		err = journal.Recover(o)
	}
	if err == nil && held < b.Generation {
		err = private.Write(s.generationFile(), []byte(strconv.FormatUint(b.Generation, 10)+"\n"))
	}
	if err == nil {
		err = private.Write(s.storeFile(), []byte(replica.StoreID()))
	}
	if err != nil {
		return nil, err
	}
	s.member, err = journal.Open(o)
	return replica, err
}

// pass sends a fleeting message to another member. A message that finds the queue full is
// lost, as when the member cannot be reached.
func (s *Seat) pass(node string, form []byte) {
	select {
	case s.passing <- passing{node, form}:
	default:
	}
}

// passing is a fleeting message on its way to a member.
type passing struct {
	node string
	form []byte
}

// passAll sends fleeting messages until ctx ends.
func (s *Seat) passAll(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-s.passing:
			one, done := context.WithTimeout(ctx, passWithin)
			_, err := s.wires.Ask(one, p.node, servicePass, p.form)
			if done(); err != nil && ctx.Err() == nil {
				s.o.Log.Debug().Err(err).Str("node", p.node).Msg("cluster_message_lost")
			}
		}
	}
}

// knows reports a store that comes from elsewhere. An empty one is filled by the others.
func (s *Seat) knows(replica *engine.Replica) error {
	raw, err := os.ReadFile(s.storeFile())
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("seat: which store this machine has: %w", err)
	case err == nil && string(raw) != replica.StoreID() && replica.Applied() > 0:
		return fmt.Errorf("seat: %w", cluster.ErrOtherStore)
	}
	return nil
}

func (s *Seat) storeFile() string { return filepath.Join(identity.Dir(s.o.Data), "store") }

func (s *Seat) generationFile() string { return filepath.Join(identity.Dir(s.o.Data), "generation") }

// generation returns the generation of the log that this machine holds, 0 for none.
func (s *Seat) generation() (uint64, error) {
	raw, err := os.ReadFile(s.generationFile())
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("seat: which log this machine holds: %w", err)
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("seat: %s does not say which log this machine holds: `kehai cluster leave --force` puts "+
			"its copy of the conversations aside; then it can join again", s.generationFile())
	}
	return n, nil
}

// ErrRemoved says that the others took this machine out.
var ErrRemoved = errors.New("this machine was taken out of its cluster: `kehai cluster leave --force` puts its copy " +
	"of the conversations aside; then it can join with a new code")

// ErrDeposed says that another machine was promoted.
var ErrDeposed = errors.New("the others went on without this machine, and what it had not passed on is not among " +
	"theirs: `kehai cluster leave --force` puts its store aside; then `kehai cluster remove` it there, and join again")

func (s *Seat) deposed(b identity.Book) error {
	return fmt.Errorf("seat: %s was promoted while this machine was away: %w", b.Founder, ErrDeposed)
}

// note hands on a note of the log. A note that can never be carried out is skipped: the notes
// after it must not wait for it.
func (s *Seat) note(topic, from string, note []byte) (err error) {
	switch {
	case topic == noteBook:
		err = s.learn(note)
	case topic == keys.Topic && s.keys != nil:
		err = s.keys.Note(from, note)
	}
	if errors.Is(err, identity.ErrBook) || errors.Is(err, identity.ErrForeign) || errors.Is(err, keyring.ErrShared) {
		s.o.Log.Warn().Err(err).Str("topic", topic).Str("node", from).Msg("cluster_note_passed_over")
		return nil
	}
	return err
}

// peers are the members as the log has them.
func (s *Seat) peers() (list []cluster.Peer) {
	b := s.id.Book()
	for _, p := range s.member.Status().Peers {
		if m, ok := b.Member(p.Node); ok && m.Role == cluster.Witness {
			p.Role = cluster.Witness // a voter, as far as the log knows
		}
		list = append(list, p.Peer)
	}
	return list
}

// Run greets the others and arranges the members until ctx ends.
func (s *Seat) Run(ctx context.Context) error {
	var beside sync.WaitGroup
	defer beside.Wait()
	beside.Go(func() { everySecond(ctx, func() { s.trouble("members", s.arrange(ctx)) }) })
	beside.Go(func() { everySecond(ctx, s.look) })
	for range passers {
		beside.Go(func() { s.passAll(ctx) })
	}
	tick := time.NewTicker(greetEvery)
	defer tick.Stop()
	for {
		s.round(ctx)
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// Close gives up the seat until the next start; the others go on.
func (s *Seat) Close() (err error) {
	if s.member != nil {
		err = s.member.Close()
	}
	if s.wires != nil {
		err = errors.Join(err, s.wires.Close())
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return err
}

// round is one round of maintenance.
func (s *Seat) round(ctx context.Context) {
	s.trouble("address", s.follow())
	s.trouble("certificate", s.renew(ctx))
	s.wires.Sweep()
	var all sync.WaitGroup
	for _, m := range s.id.Book().Members {
		if m.Node != s.id.Node() {
			all.Go(func() { s.noteRefusal(m.Node, s.greet(ctx, m.Node)) }) // Status tells when it last answered
		}
	}
	for _, address := range s.unmet() {
		all.Go(func() { _ = s.greet(ctx, address) })
	}
	all.Wait()
}

// follow listens where this machine is now.
func (s *Seat) follow() error {
	now := s.wires.Addr().String()
	at, err := listenAt(s.o.Listen, now, s.o.networks)
	if err != nil || at == now {
		return err
	}
	s.o.Log.Info().Str("address", at).Msg("cluster_address_changed")
	return s.wires.Rebind(at)
}

// renew gets a new certificate in time.
func (s *Seat) renew(ctx context.Context) error {
	now := s.o.now()
	if err := s.id.Renew(now); err != nil || !s.id.Due(now) {
		return err
	}
	var failed error
	for _, m := range s.id.Book().Members { // a witness asks
		if m.Role == cluster.Witness {
			continue
		}
		raw, err := s.wires.Ask(ctx, m.Node, serviceRenew, s.id.Own())
		if err == nil {
			err = s.id.Install(raw)
		}
		if err == nil {
			return nil
		}
		failed = errors.Join(failed, err)
	}
	return fmt.Errorf("seat: the certificate of this machine runs out at %s and no member renews it: %w",
		s.id.Expires().UTC().Format(time.RFC3339), failed)
}

// unmet are the seeds at which no member answered lately, and one may.
func (s *Seat) unmet() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := map[string]bool{s.wires.Addr().String(): true}
	for _, m := range s.id.Book().Members {
		known[m.Address] = known[m.Address] || s.o.now().Sub(s.contact[m.Node]) < upFor
	}
	for _, address := range s.o.Seeds {
		if !known[address] {
			list = append(list, address)
		}
	}
	return list
}

// refused logs each host that the wires refused at most once a minute. Beyond maxTurned
// hosts it counts the rest as one.
func (s *Seat) refused(remote net.Addr, err error) {
	host, _, serr := net.SplitHostPort(remote.String())
	if serr != nil {
		host = remote.String()
	}
	now := s.o.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	r, known := s.turned[host]
	if !known && len(s.turned) >= maxTurned {
		maps.DeleteFunc(s.turned, func(_ string, r turned) bool { return now.Sub(r.said) >= sayRefused })
		if len(s.turned) >= maxTurned {
			host = "others"
			r, known = s.turned[host]
		}
	}
	r.times++
	if !known || now.Sub(r.said) >= sayRefused {
		s.o.Log.Warn().Err(err).Str("remote", host).Int("times", r.times).Msg("cluster_connection_refused")
		r = turned{said: now}
	}
	s.turned[host] = r
}

// turned is how often a host was refused since it was last said.
type turned struct {
	said  time.Time
	times int
}
