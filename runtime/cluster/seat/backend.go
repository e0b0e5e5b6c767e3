package seat

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/invite"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

var _ control.ClusterBackend = (*Seat)(nil)

// Cluster implements [control.ClusterBackend].
func (s *Seat) Cluster(context.Context) (control.Cluster, error) {
	c := Describe(s.id)
	c.Running = true
	st := s.member.Status()
	c.Leader, c.Ready = st.Leader, st.Ready
	c.Problems = s.Problems()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range c.Members {
		m := &c.Members[i]
		if at, ok := s.contact[m.Node]; ok {
			m.Contact = &control.Stamp{Time: at}
			m.Up = s.answers(m.Node)
			m.Lag = s.lag(m.Node, st.Applied)
		}
		m.Owns, m.Zone = s.member.Holds(m.Node)
		at := slices.IndexFunc(st.Peers, func(p cluster.PeerStatus) bool { return p.Node == m.Node })
		switch {
		case at < 0 && len(st.Peers) > 0: // the leader has not let it in yet
			m.Role = string(cluster.Follower)
		case at >= 0:
			p := st.Peers[at]
			if m.Role != string(cluster.Witness) { // a voter, as far as the log knows
				m.Role, m.Up = string(p.Role), p.Up && st.Ready || m.Up && !st.Ready
			}
		}
		if m.Node == s.id.Node() {
			m.Up, m.Address = true, s.wires.Addr().String()
		}
	}
	return c, nil
}

// answers reports whether a member answered lately, and when it was greeted last. The caller holds s.mu.
func (s *Seat) answers(node string) bool {
	return s.o.now().Sub(s.contact[node]) < upFor && !s.silent[node]
}

// lag is how many changes a member lacks: as it was when it answered lately, or by what it had when it last did. The
// caller holds s.mu.
func (s *Seat) lag(node string, applied uint64) uint64 {
	had := s.had[node]
	if s.answers(node) {
		applied = had.mine
	}
	return applied - min(applied, had.its)
}

// Describe tells what an identity knows of its cluster.
func Describe(id *identity.Identity) control.Cluster {
	b := id.Book()
	c := control.Cluster{Cluster: b.Cluster, Node: id.Node(), Expires: control.Stamp{Time: id.Expires()},
		Members: []control.ClusterMember{}}
	for _, m := range b.Members {
		c.Members = append(c.Members, control.ClusterMember{Node: m.Node, Address: m.Address, Role: string(m.Role)})
	}
	return c
}

// Invite implements [control.ClusterBackend].
func (s *Seat) Invite(context.Context) (control.Invitation, error) {
	if s.me().Role == cluster.Witness {
		return control.Invitation{}, errors.New("seat: a witness invites nobody: `kehai cluster invite` on another " +
			"member")
	}
	secret, ends := s.issuer.Invite(s.o.now())
	code := invite.Code{Authority: s.id.Fingerprint(), Secret: secret, Addresses: []string{s.wires.Addr().String()}}
	return control.Invitation{Code: code.String(), Expires: control.Stamp{Time: ends}}, nil
}

// welcome serves a machine that has a code.
func (s *Seat) welcome(ctx context.Context, c *tls.Conn) {
	if err := s.issuer.Serve(ctx, c, s.o.now(), s.admit); err != nil {
		s.refused(c.RemoteAddr(), err)
	}
}

// admit makes a machine a member.
func (s *Seat) admit(ctx context.Context, r identity.Request) (identity.Grant, error) {
	err := s.change(ctx, func(b identity.Book) (identity.Book, error) {
		m, err := b.Joins(r)
		if err != nil {
			return b, err
		}
		if len(b.Members) == identity.MaxMembers {
			return b, fmt.Errorf("seat: a cluster has at most %d members: remove one first", identity.MaxMembers)
		}
		return b.With(m), nil
	})
	if err != nil {
		return identity.Grant{}, err
	}
	s.o.Log.Info().Str("node", r.Node).Msg("cluster_member_joined")
	return s.id.Grant(r, s.o.now())
}

// Stranded implements [control.ClusterBackend].
func (s *Seat) Stranded(_ context.Context, node string) (int, error) { return s.member.Stranded(node) }

// Belongs reports whether a machine is a member, up or not.
func (s *Seat) Belongs(node string) bool {
	_, ok := s.id.Book().Member(node)
	return ok
}

// Expel implements [control.ClusterBackend].
func (s *Seat) Expel(ctx context.Context, node string) error {
	if _, ok := s.id.Book().Member(node); !ok {
		return fmt.Errorf("seat: there is no member called %q: `kehai cluster status` lists them", node)
	}
	if node == s.id.Node() {
		return errors.New("seat: that is this machine: `kehai cluster leave`, or remove it from another member")
	}
	now := s.o.now()
	err := s.change(ctx, func(b identity.Book) (identity.Book, error) { return b.Without(node, now), nil })
	if err != nil {
		return err
	}
	s.o.Log.Info().Str("node", node).Msg("cluster_member_removed")
	if err := s.unplace(ctx, node); err != nil {
		return fmt.Errorf("seat: %s is no member any more and its certificate opens nothing, but those that are left "+
			"cannot decide without it: start them; if they are lost, stop Kehai here and `kehai cluster promote`: %w",
			node, err)
	}
	return nil
}

// unplace takes the place in the log from a machine that is no member any more. If it led, those that are left first
// choose who does, and that one may do it by itself.
func (s *Seat) unplace(ctx context.Context, node string) error {
	ctx, done := context.WithTimeout(ctx, changeWait)
	defer done()
	tick := time.NewTicker(unplaceEvery)
	defer tick.Stop()
	for {
		st := s.member.Status()
		placed := slices.ContainsFunc(st.Peers, func(p cluster.PeerStatus) bool { return p.Node == node })
		if st.Ready && !placed {
			return nil
		}
		err := s.member.Remove(ctx, node)
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return err
		case <-tick.C:
		}
	}
}

const unplaceEvery = 200 * time.Millisecond

// Settle implements [control.ClusterBackend]: its own entry comes after all that was accepted before.
func (s *Seat) Settle(ctx context.Context) error {
	ctx, done := context.WithTimeout(ctx, changeWait)
	defer done()
	if err := s.member.Announce(ctx, noteSettle, nil); err != nil {
		return fmt.Errorf("seat: this machine cannot tell whether it has everything: start more members, or back up "+
			"what it has: `kehai backup`: %w", err)
	}
	return nil
}

// forgotten asks a member to say that nothing is left there of conversations, once it has come so
// far in the log.
type forgotten struct {
	Conversations []string `json:"conversations"`
	Applied       uint64   `json:"applied"`
}

// Forgets sets the function that deletes a conversation's data which this machine keeps
// outside the store.
func (s *Seat) Forgets(by func(conversations []string) error) { s.forgets = by }

// Unanswered names the members that have not yet said that they destroyed keys, and what they kept
// of the conversations outside their stores.
func (s *Seat) Unanswered(ctx context.Context, conversations []string, keys []engine.Key) (nodes []string) {
	raw, err := json.Marshal(forgotten{conversations, s.member.Status().Applied})
	ctx, done := context.WithTimeout(ctx, changeWait)
	defer done()
	var all sync.WaitGroup
	var mu sync.Mutex
	for _, m := range s.id.Book().Members {
		if m.Node == s.id.Node() || m.Role == cluster.Witness {
			continue
		}
		all.Go(func() {
			if _, aerr := s.wires.Ask(ctx, m.Node, serviceForgotten, raw); aerr != nil || err != nil {
				mu.Lock()
				defer mu.Unlock()
				nodes = append(nodes, m.Node)
			}
		})
	}
	all.Wait()
	nodes = append(nodes, s.keys.Unanswered(ctx, keys)...)
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// answerForgotten removes once more what the log has had this machine remove, and says whether that
// went well.
func (s *Seat) answerForgotten(ctx context.Context, from string, request []byte) ([]byte, error) {
	var f forgotten
	if json.Unmarshal(request, &f) != nil || !s.acts(from) || s.forgets == nil {
		return nil, errors.New("seat: nothing is forgotten here")
	}
	tick := time.NewTicker(forgottenEvery)
	defer tick.Stop()
	for s.member.Status().Applied < f.Applied {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, errors.New("seat: it has not come so far in the log")
		}
	}
	return nil, s.forgets(f.Conversations)
}

const forgottenEvery = 20 * time.Millisecond
