package seat

import (
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
)

var letters = map[byte]cluster.Role{'v': cluster.Voter, 'f': cluster.Follower, 'w': cluster.Witness, '-': ""}

func peer(i int, letter byte) cluster.Peer {
	return cluster.Peer{Node: string(rune('a' + i)), Role: letters[letter]}
}

// book has members called a, b, c …, of the roles that letters stand for.
func book(roles string) (b identity.Book) {
	for i, r := range []byte(roles) {
		b.Members = append(b.Members, identity.Member{Peer: peer(i, r)})
	}
	return b
}

// peers are those of the log; "-" is not there.
func peers(roles string) (list []cluster.PeerStatus) {
	for i, r := range []byte(roles) {
		if r != '-' {
			list = append(list, cluster.PeerStatus{Peer: peer(i, r)})
		}
	}
	return list
}

// Two machines never block each other, three decide together, and no more than five.
func TestRoles(t *testing.T) {
	for _, c := range []struct{ book, now, want string }{
		{"v", "v", "v"},
		{"vv", "v", "vf"},
		{"vv", "vv", "vf"},
		{"vvv", "vf", "vvv"},
		{"vvv", "ffv", "vvv"},
		{"vvvv", "vvv", "vvvf"},
		{"vvvv", "v-vv", "vfvv"},
		{"vvvvv", "vvvf", "vvvvv"},
		{"vvvvvvv", "vvvvvff", "vvvvvff"},
		{"vvw", "vf", "vvw"},
		{"vw", "v", "vf"},
		{"vfv", "vf", "vff"},
	} {
		want := roles(book(c.book).Members, peers(c.now), "a")
		var got strings.Builder
		for i := range c.book {
			for letter, r := range letters {
				if r != "" && r == want[string(rune('a'+i))] {
					got.WriteByte(letter)
				}
			}
		}
		if got.String() != c.want {
			t.Errorf("roles(%s, now %s) = %s, want %s", c.book, c.now, got.String(), c.want)
		}
	}
}

// Steps lead from any members to those of the book, one at a time, without ever making a
// majority of machines that are away.
func TestSteps(t *testing.T) {
	for _, c := range []struct {
		book, now, down string
		want            step
	}{
		{"v", "v", "", step{}},
		{"vv", "v", "", step{add: cluster.Peer{Node: "b", Address: "b", Role: cluster.Follower}}},
		{"vv", "v", "b", step{}},
		{"vvv", "vf", "c", step{add: cluster.Peer{Node: "b", Address: "b", Role: cluster.Voter}}},
		{"vvv", "vv-", "", step{add: cluster.Peer{Node: "c", Address: "c", Role: cluster.Voter}}},
		{"v", "vvv", "", step{remove: "b"}},
		{"vv", "vv", "b", step{add: cluster.Peer{Node: "b", Address: "b", Role: cluster.Follower}}},
		{"vvw", "vv", "", step{add: cluster.Peer{Node: "c", Address: "c", Role: cluster.Witness}}},
	} {
		st := cluster.Status{Leader: "a", Ready: true, Peers: peers(c.now)}
		got := nextStep(book(c.book), st, func(n string) bool { return !strings.Contains(c.down, n) })
		if got != c.want {
			t.Errorf("nextStep(%s, now %s, down %q) = %+v, want %+v", c.book, c.now, c.down, got, c.want)
		}
	}
}
