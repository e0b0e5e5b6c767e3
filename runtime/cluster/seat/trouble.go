package seat

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/cluster"
)

// cutFor is for how long nobody decides before that is trouble: an election is over sooner.
const cutFor = 5 * time.Second

// Problems are what is wrong with this machine's place in the cluster, and what to do about it.
func (s *Seat) Problems() (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, about := range slices.Sorted(maps.Keys(s.problems)) {
		list = append(list, s.problems[about])
	}
	for _, node := range slices.Sorted(maps.Keys(s.shares())) {
		if differ := s.o.Sharing.Differs(s.sharing[node]); len(differ) > 0 {
			list = append(list, unlike(node, differ))
		}
	}
	if s.member != nil {
		if n := s.member.Status().Waiting; n > 0 {
			list = append(list, fmt.Sprintf("%d actors wait: they began where llm.tier is local, and no member is up "+
				"whose models are as near (ZONE of `kehai cluster status`): start one, or set llm.tier: local on a "+
				"member with a model of its own, and memory.embedding.tier: local if it has an embedder", n))
		}
	}
	return list
}

// unlike says that a member has other settings of the memory.
func unlike(node string, settings []string) string {
	return fmt.Sprintf("%s: the configuration of %s says something else than this machine's: of the settings the "+
		"strictest counts, and people links nobody while it differs: make them the same, and start Kehai again",
		strings.Join(settings, ", "), node)
}

// shares is what the other members have told of their settings, also those that do not answer now. The caller holds
// s.mu.
func (s *Seat) shares() map[string]cluster.Sharing {
	list, b := map[string]cluster.Sharing{}, s.id.Book()
	for node, told := range s.sharing {
		if _, ok := b.Member(node); ok && told != (cluster.Sharing{}) {
			list[node] = told
		}
	}
	return list
}

// Sharing is what the other members' configurations say of the memory.
func (s *Seat) Sharing() (list []cluster.Sharing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.shares()
	for _, node := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[node])
	}
	return list
}

// trouble notes what is wrong, or that it is no more.
func (s *Seat) trouble(about string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		delete(s.problems, about)
	} else {
		s.problems[about] = err.Error()
	}
}

// noteRefusal notes whether a member answers, or refuses this machine, as the answer to a greeting tells.
func (s *Seat) noteRefusal(node string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silent[node] = err != nil
	if err == nil {
		delete(s.shut, node)
		return
	}
	delete(s.problems, clockOf+node)
	if shutOut(err) {
		s.shut[node] = true
	}
}

// shutOut reports whether the other end ended a handshake because it refuses this machine.
func shutOut(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" // an alert of TLS
}

// look finds out whether this machine is cut off.
func (s *Seat) look() {
	st, now := s.member.Status(), s.o.now()
	_, member := s.id.Book().Member(s.id.Node())
	s.mu.Lock()
	switch {
	case st.Ready:
		s.lost = time.Time{}
	case s.lost.IsZero():
		s.lost = now
	}
	var err error
	switch {
	case !member:
		err = ErrRemoved
	case !st.Ready && now.Sub(s.lost) >= cutFor:
		err = cutOff(s.lost, st, s.contact, s.shut, s.Belongs)
	}
	s.mu.Unlock()
	s.trouble("majority", err)
	s.trouble("name", contested(st))
	s.trouble("room", s.noRoom())
}

// contested says that another machine lives under this one's name.
func contested(st cluster.Status) error {
	if !st.Contested {
		return nil
	}
	return fmt.Errorf("another machine runs as %s, with a store of its own: this one holds what it sees and sends "+
		"nothing, so that not both do; stop the wrong one, and start Kehai on the right one again", st.Node)
}

// noRoom says that this machine cannot take what the others decide.
func (s *Seat) noRoom() error {
	if !s.member.Full() {
		return nil
	}
	return fmt.Errorf("the volume of %s is too full for what the others decide: this machine falls behind, and they "+
		"act for it; free some space there, and it catches up by itself", s.logDir())
}

// cutOff says since when no majority decides, which machines are missing, and what to do.
func cutOff(since time.Time, st cluster.Status, contact map[string]time.Time, shut map[string]bool,
	belongs func(node string) bool) error {
	var away, refusing, removed []string
	for _, p := range st.Peers {
		switch {
		case p.Node == st.Node:
		case !belongs(p.Node):
			removed = append(removed, p.Node)
		case shut[p.Node]:
			refusing = append(refusing, p.Node)
		case p.Role != cluster.Follower && contact[p.Node].Before(since):
			away = append(away, p.Node)
		}
	}
	text := fmt.Sprintf("since %s this machine has no majority of its cluster: nothing is sent, and what is seen is "+
		"held", since.Local().Format(time.DateTime))
	if len(away) > 0 {
		text += fmt.Sprintf("; no answer from %s: start Kehai there, and mend the network; only if that is lost for "+
			"good, stop Kehai here and `kehai cluster promote`", strings.Join(away, ", "))
	}
	if len(removed) > 0 && len(away) == 0 {
		text += fmt.Sprintf("; %s decided and is no member any more: stop Kehai here and `kehai cluster promote`",
			strings.Join(removed, ", "))
	}
	if len(refusing) > 0 {
		text += fmt.Sprintf("; this machine is refused by %s: if `kehai cluster status` there does not list it, it "+
			"was taken out, and `kehai cluster leave --force` puts its copy of the conversations aside; else set the "+
			"clocks", strings.Join(refusing, ", "))
	}
	return errors.New(text)
}
