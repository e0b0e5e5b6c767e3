package seat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

// maxVoters is how many machines decide; more would only make each decision slower.
const maxVoters = 5

// roles says what each member of a book should be. Two machines are a voter and a follower,
// as two voters could decide nothing without each other. An even number of voters is no
// better than one less.
func roles(members []identity.Member, now []cluster.PeerStatus, leader string) map[string]cluster.Role {
	want := map[string]cluster.Role{}
	var may []string // vote: the leader first, then the present voters
	for _, m := range members {
		if m.Role == cluster.Follower { // it was asked to be one
			want[m.Node] = cluster.Follower
			continue
		}
		may = append(may, m.Node)
	}
	rank := func(node string) int {
		votes := func(p cluster.PeerStatus) bool { return p.Node == node && p.Role != cluster.Follower }
		switch {
		case node == leader:
			return 0
		case slices.ContainsFunc(now, votes):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(may, func(a, b string) int { return rank(a) - rank(b) })
	voters := min(len(may), maxVoters)
	voters -= 1 - voters%2
	for i, node := range may {
		want[node] = cluster.Follower
		if i < voters {
			want[node] = cluster.Voter
		}
	}
	for _, m := range members {
		if m.Role == cluster.Witness && want[m.Node] == cluster.Voter {
			want[m.Node] = cluster.Witness
		}
	}
	return want
}

// step is one change that makes the members of the log those of the book; zero: none.
type step struct {
	add    cluster.Peer
	remove string
}

// nextStep chooses it. A machine that cannot be reached is not let in: it would not get the
// state. The leader is not demoted.
func nextStep(b identity.Book, st cluster.Status, up func(node string) bool) step {
	for _, p := range st.Peers {
		if _, ok := b.Member(p.Node); !ok && p.Node != st.Leader {
			return step{remove: p.Node}
		}
	}
	want := roles(b.Members, st.Peers, st.Leader)
	for _, m := range b.Members {
		at := slices.IndexFunc(st.Peers, func(p cluster.PeerStatus) bool { return p.Node == m.Node })
		is := at >= 0 && (st.Peers[at].Role == cluster.Follower) == (want[m.Node] == cluster.Follower)
		demoted := want[m.Node] == cluster.Follower && at >= 0
		if is || m.Node == st.Leader || !demoted && !up(m.Node) {
			continue
		}
		return step{add: cluster.Peer{Node: m.Node, Address: m.Node, Role: want[m.Node]}}
	}
	return step{}
}

// arrangeWithin bounds one step: a member that is let in first gets all that is stored.
const arrangeWithin = 5 * time.Minute

// everySecond does something until ctx ends.
func everySecond(ctx context.Context, do func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			do()
		}
	}
}

// arrange has the leader make the members of the log those of the book, one step a round.
func (s *Seat) arrange(ctx context.Context) error {
	st := s.member.Status()
	if st.Leader != s.id.Node() || !st.Ready {
		return nil
	}
	ctx, done := context.WithTimeout(ctx, arrangeWithin)
	defer done()
	if !s.Belongs(s.id.Node()) { // somebody else takes this machine out
		if loneVoter(st) { // nobody can have it decide no more, and the others go on once one is promoted
			s.broken(fmt.Errorf("seat: %w", ErrRemoved))
			return nil
		}
		return s.member.Transfer(ctx, "")
	}
	if s.me().Role == cluster.Witness && len(st.Peers) > 1 {
		// It runs no engine that could say in the log who is not there: what a dead member owns would never move.
		return s.member.Transfer(ctx, "")
	}
	next := nextStep(s.id.Book(), st, s.up)
	switch {
	case next.remove != "":
		return s.member.Remove(ctx, next.remove)
	case next.add.Node != "":
		if err := s.member.Add(ctx, next.add); err != nil {
			return fmt.Errorf("seat: %s cannot take its place yet: %w", next.add.Node, err)
		}
		s.o.Log.Info().Str("node", next.add.Node).Str("role", string(next.add.Role)).Msg("cluster_member_placed")
	}
	return nil
}

// loneVoter reports whether no other node of the log decides.
func loneVoter(st cluster.Status) bool {
	return !slices.ContainsFunc(st.Peers, func(p cluster.PeerStatus) bool {
		return p.Node != st.Node && p.Role != cluster.Follower
	})
}

// up says whether a member answered lately.
func (s *Seat) up(node string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, ok := s.contact[node]
	return ok && s.o.now().Sub(at) < upFor
}
