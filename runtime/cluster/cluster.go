// Package cluster is what the parts of a cluster of several machines know of each
// other: a [Peer] is a member, [Status] is what its replicated log (package journal) tells of
// the cluster, and [Network] is what that needs of the wires between the members, which
// package transport draws. Package seat puts them together. The conversations, ledgers and
// memories of a cluster are replicated before they are acted on; screens, cameras and
// keyboards stay with their machine.
package cluster

import (
	"context"
	"errors"
	"net"
	"time"
)

// Role is what a member is to the cluster.
type Role string

// The roles.
const (
	Voter    Role = "voter"    // counts for the majority and holds everything
	Follower Role = "follower" // holds everything, and decides nothing
	Witness  Role = "witness"  // counts for the majority, holds the log and no state
)

// Peer is a member as the others reach it.
type Peer struct {
	Node    string `json:"node"`    // its name, as in the keys of actors: "mac-a"
	Address string `json:"address"` // host:port
	Role    Role   `json:"role"`
}

// Status is the cluster as one member sees it.
type Status struct {
	Node    string `json:"node"`    // who tells
	Leader  string `json:"leader"`  // its node; "": none is known
	Applied uint64 `json:"applied"` // index up to which this node's store has carried it out
	// Ready says that the leader is known and was heard of lately: what is proposed now will
	// be committed soon. Without it a node reads on and holds what it sees.
	Ready bool `json:"ready"`
	// Contact is when the leader was last heard of; zero: never, or this is the leader.
	Contact time.Time    `json:"contact,omitzero"`
	Peers   []PeerStatus `json:"peers"` // sorted by node, with this one
	// Waiting counts actors that may live on members alone that are not there.
	Waiting int `json:"waiting,omitempty"`
	// Contested says that another machine lives under this node's name, so that this one takes no part.
	Contested bool `json:"contested,omitempty"`
}

// PeerStatus is a member as this one knows it.
type PeerStatus struct {
	Peer
	Up   bool `json:"up"`   // it owns actors, or would get some
	Owns int  `json:"owns"` // actors
}

// Sharing is what a member's configuration says about who may be reminded of what. The zero value says nothing.
type Sharing struct {
	Share  string `json:"share,omitempty"`       // memory.share
	Owner  string `json:"share_owner,omitempty"` // memory.share_owner
	People string `json:"people,omitempty"`      // a digest of people
}

// Differs names the settings that are not the same.
func (s Sharing) Differs(o Sharing) (settings []string) {
	if s.Share != o.Share {
		settings = append(settings, "memory.share")
	}
	if s.Owner != o.Owner {
		settings = append(settings, "memory.share_owner")
	}
	if s.People != o.People {
		settings = append(settings, "people")
	}
	return settings
}

// Errors of a member.
var (
	// ErrNoLeader says that no majority can be reached. Proposals wait.
	ErrNoLeader = errors.New("cluster: no majority can be reached: wait, or start more members")
	// ErrOtherStore says that the store is not the one with which this machine was in its cluster.
	ErrOtherStore = errors.New("DATA/store is not the one with which this machine was in its cluster, and the " +
		"conversations of two must not be mixed: put the right one back, or move this one away, and Kehai fetches " +
		"what the others have")
	// ErrClosed answers calls of a member that has stopped.
	ErrClosed = errors.New("cluster: this member has stopped")
)

// Network connects the members. Everything that it hands on comes from a member whose
// certificate was checked, and is bounded in size. A peer that cannot be reached, or that
// sends what is malformed, costs its connection and nothing else.
type Network interface {
	// Accept waits for a stream of the replicated log; Dial opens one.
	Accept() (net.Conn, error)
	Dial(address string, timeout time.Duration) (net.Conn, error)
	Addr() net.Addr
	// Ask sends a request to the service of a member and waits for its answer. At most
	// MaxAsk bytes go each way. An error of the service comes back as an error with its
	// words. A request whose answer is lost may have been carried out.
	Ask(ctx context.Context, address, service string, request []byte) (answer []byte, err error)
	// Answer sets who answers the requests to a service; from is the node of the asker, as
	// its certificate says. That of a service which has one already is a bug, and panics.
	Answer(service string, by func(ctx context.Context, from string, request []byte) (answer []byte, err error))
	Close() error
}

// MaxAsk is the most bytes of a request and of an answer: more than the largest batch.
const MaxAsk = 16 << 20
