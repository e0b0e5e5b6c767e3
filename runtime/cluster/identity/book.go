package identity

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
)

// Member is a machine of the cluster.
type Member struct {
	cluster.Peer        // its address is where it was last known to listen
	Key          string `json:"key"` // fingerprint of the key of its certificate
}

// Revoked is a key that opens nothing any more.
type Revoked struct {
	Node string    `json:"node"`
	Key  string    `json:"key"`
	At   time.Time `json:"at"`
}

// Book lists who belongs to a cluster. The one with the higher version is the later one. Only who
// has the authority's key makes one: not a witness.
type Book struct {
	Cluster string `json:"cluster"`
	Version uint64 `json:"version"`
	// Founder began the replicated log of this Generation: the first one, or a promoted one.
	Founder    string    `json:"founder"`
	Generation uint64    `json:"generation"`
	Members    []Member  `json:"members"`
	Revoked    []Revoked `json:"revoked,omitempty"`
	Seal       []byte    `json:"seal,omitempty"` // the authority's signature of all the rest
}

// Bounds of a book.
const (
	MaxMembers  = 32
	maxRevoked  = 1024
	maxBookSize = 1 << 20 // bytes
	maxCount    = 1 << 52 // of versions and generations
	// Leap is how far ahead of the book that it knows a promoted machine's is.
	Leap      = 1_000_000
	maxMissed = 1_000 // generations
)

var nodeName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// ErrBook marks a book that is none.
var ErrBook = errors.New("the list of the cluster's members is damaged")

// Check reports what is wrong with a member.
func (m Member) Check() error {
	switch {
	case !nodeName.MatchString(m.Node):
		return fmt.Errorf("identity: %q is no name of a machine: a to z, 0 to 9 and -; set node in the configuration",
			m.Node)
	case m.Role != cluster.Voter && m.Role != cluster.Follower && m.Role != cluster.Witness:
		return fmt.Errorf("identity: %q is no role of a machine", m.Role)
	case len(m.Key) != 2*fingerprintBytes:
		return fmt.Errorf("identity: %s has no key", m.Node)
	}
	return CheckAddress(m.Address)
}

// CheckAddress reports what is wrong with a host:port to which others connect.
func CheckAddress(a string) error {
	host, port, err := net.SplitHostPort(a)
	n, perr := strconv.ParseUint(port, 10, 16)
	if err != nil || perr != nil || n == 0 || host == "" || len(a) > 255 {
		return fmt.Errorf("identity: %q is no address: want HOST:PORT", a)
	}
	return nil
}

// ReadBook parses a book from outside.
func ReadBook(raw []byte) (b Book, err error) {
	if len(raw) > maxBookSize || json.Unmarshal(raw, &b) != nil {
		return Book{}, fmt.Errorf("identity: %w", ErrBook)
	}
	return b, b.check()
}

func (b Book) check() error {
	if b.Cluster == "" || len(b.Members) > MaxMembers || len(b.Revoked) > maxRevoked ||
		max(b.Version, b.Generation) > maxCount {
		return fmt.Errorf("identity: %w", ErrBook)
	}
	seen := map[string]bool{}
	for _, m := range b.Members {
		if err := m.Check(); err != nil || seen[m.Node] {
			return fmt.Errorf("identity: %w: %w", ErrBook, err)
		}
		seen[m.Node] = true
	}
	return nil
}

// follows reports what is wrong with a later book: one that leaves no versions for those to come, or
// lets in whom an earlier one expelled. Whoever was promoted may not have known of that.
func (b Book) follows(known Book) error {
	missed := b.Generation - known.Generation
	if b.Generation < known.Generation || missed > maxMissed || b.Version-known.Version > 2*Leap*(missed+1) {
		return fmt.Errorf("identity: %w: version %d of generation %d cannot follow %d of %d", ErrBook,
			b.Version, b.Generation, known.Version, known.Generation)
	}
	for _, r := range known.Revoked {
		same := func(o Revoked) bool { return o.Key == r.Key }
		back := func(m Member) bool { return m.Key == r.Key && (missed == 0 || m.Node == b.Founder) }
		lost := missed == 0 && len(b.Revoked) < maxRevoked && !slices.ContainsFunc(b.Revoked, same)
		if lost || slices.ContainsFunc(b.Members, back) {
			return fmt.Errorf("identity: %w: it lets in %s again, whose key was revoked", ErrBook, r.Node)
		}
	}
	return nil
}

// signed is what the seal of a book signs.
func (b Book) signed() ([]byte, error) {
	b.Seal = nil
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, fmt.Errorf("identity: %w", err)
	}
	return append([]byte("kehai book\n"), raw...), nil
}

// Member returns a member of the book by its name.
func (b Book) Member(node string) (Member, bool) {
	i := slices.IndexFunc(b.Members, func(m Member) bool { return m.Node == node })
	if i < 0 {
		return Member{}, false
	}
	return b.Members[i], true
}

// Errors of peers that are refused.
var (
	ErrForeign = errors.New("it is not of this cluster")
	ErrUnknown = errors.New("it is not among the members: `kehai cluster invite` here, and " +
		"`kehai cluster join` there")
	ErrRevoked = errors.New("its certificate was revoked: `kehai cluster invite` here, and " +
		"`kehai cluster join` there, if it is to come back")
	ErrExpired = errors.New("its certificate is out of date: set its clock, and start its Kehai again; a witness has " +
		"to be invited anew")
)

// Admits returns the member that presents a key.
func (b Book) Admits(node, key string) (Member, error) {
	if slices.ContainsFunc(b.Revoked, func(r Revoked) bool { return r.Key == key }) {
		return Member{}, fmt.Errorf("identity: %s: %w", node, ErrRevoked)
	}
	m, ok := b.Member(node)
	if !ok || m.Key != key {
		return Member{}, fmt.Errorf("identity: %s: %w", node, ErrUnknown)
	}
	return m, nil
}

// With returns the book with a member added, or replaced.
func (b Book) With(m Member) Book {
	b.Members = slices.DeleteFunc(slices.Clone(b.Members), func(o Member) bool { return o.Node == m.Node })
	b.Members = append(b.Members, m)
	slices.SortFunc(b.Members, func(a, c Member) int { return strings.Compare(a.Node, c.Node) })
	return b
}

// Without returns the book with a member taken out and its key revoked.
func (b Book) Without(node string, now time.Time) Book {
	m, ok := b.Member(node)
	if !ok {
		return b
	}
	b.Members = slices.DeleteFunc(slices.Clone(b.Members), func(o Member) bool { return o.Node == node })
	b.Revoked = append(slices.Clone(b.Revoked), Revoked{Node: node, Key: m.Key, At: now.UTC()})
	if over := len(b.Revoked) - maxRevoked; over > 0 { // they are not members either
		b.Revoked = b.Revoked[over:]
	}
	return b
}
