package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
)

// passed is a fleeting message on its way to the node of its receiver.
type passed struct {
	To    messages.Address `json:"to"`
	From  messages.Address `json:"from"`
	Trace string           `json:"trace,omitempty"`
	At    time.Time        `json:"at"`
	Msg   json.RawMessage  `json:"msg"`
}

// passOn deals with a fleeting message whose receiver does not live here: it goes to the
// node of the receiver. One that nobody owns is claimed, and whoever asked asks again.
func (e *Engine) passOn(env *Envelope) (gone bool) {
	r := e.replica
	if r == nil || env.timer != "" || env.call != "" || env.job != nil {
		return false
	}
	node := r.whose(env.To)
	switch {
	case node == r.node:
		return false
	case node == "":
		r.claim(env.To)
		return true
	}
	msg, err := e.codec.Encode(env.Message)
	if err != nil || r.pass == nil {
		e.drop(events.StageDeliver, events.RuleNoActor, env.To, env.ID)
		return true
	}
	r.pass(node, encodeRecord(passed{env.To, env.From, env.Trace, wall(env.At), msg}))
	return true
}

// whose is the node on which an actor lives, "" if nobody owns it. An actor bound to a node
// that the cluster does not know counts as this node's.
func (r *Replica) whose(a messages.Address) string {
	r.look.RLock()
	defer r.look.RUnlock()
	if r.shardOf(a) == Anywhere {
		return r.holders[a]
	}
	home := r.home(a)
	if _, ok := r.members[home]; !ok && !strings.Contains(a.Key(), "@") {
		return r.node
	}
	return home
}

// claim asks for an actor that nobody owns, once at a time.
func (r *Replica) claim(a messages.Address) {
	r.look.Lock()
	again := r.claiming[a]
	r.claiming[a] = true
	r.look.Unlock()
	if again {
		return
	}
	r.want(request{entry: entry{kind: entryClaim, actors: []messages.Address{a}}, settled: func(error) {
		r.look.Lock()
		defer r.look.Unlock()
		delete(r.claiming, a)
	}})
}

// Receive takes a message that another node's [ReplicaOptions.Pass] has sent. It is lost if
// its receiver does not live here any more. Actors bound to a node speak from there alone.
func (r *Replica) Receive(node string, form []byte) error {
	var p passed
	if err := json.Unmarshal(form, &p); err != nil {
		return fmt.Errorf("%w: a message of another node", ErrBatch)
	}
	if err := p.To.Validate(); err != nil {
		return err
	}
	if r.shardOf(p.From) == Here && r.home(p.From) != node {
		if _, other := r.Members()[r.home(p.From)]; other || strings.Contains(p.From.Key(), "@") {
			return fmt.Errorf("%w: %s sends what another node's %s says", ErrBatch, node, p.From.Kind())
		}
	}
	r.mu.Lock()
	e := r.engine
	r.mu.Unlock()
	if e == nil || r.whose(p.To) != r.node {
		return nil
	}
	if _, ok := e.kinds[p.To.Kind()]; !ok {
		return fmt.Errorf("engine: receive for %s: no actor kind %q", p.To, p.To.Kind())
	}
	msg, err := e.codec.Decode(p.Msg)
	if err != nil {
		return err
	}
	if durable, err := e.durable(msg); err != nil || durable {
		return fmt.Errorf("engine: receive for %s: what is durable comes by the log alone", p.To)
	}
	e.deliver(&Envelope{ID: e.fleetingID(), From: p.From, To: p.To, Trace: p.Trace, At: p.At, Message: msg})
	return nil
}
