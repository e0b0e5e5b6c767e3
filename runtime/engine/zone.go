package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// zone is what some nodes of a cluster have and others have not, such as a model of their own: its words, and the
// kinds of actors that keep to it, see [Kind.Zoned]. No words are no zone. What a machine says last counts.
type zone struct {
	name  string // words
	kinds []string
}

// within reports whether a zone has all the words of another one.
func (z zone) within(other zone) bool {
	words := strings.Fields(z.name)
	for _, word := range strings.Fields(other.name) {
		if !slices.Contains(words, word) {
			return false
		}
	}
	return true
}

// form is the stored form: lines of the name and the kinds. nil is no zone.
func (z zone) form() []byte {
	if z.name == "" {
		return nil
	}
	return []byte(strings.Join(append([]string{z.name}, z.kinds...), "\n"))
}

func zoneOf(form []byte) zone {
	lines := strings.Split(string(form), "\n")
	return zone{lines[0], lines[1:]}
}

func zoneKey(node string) []byte         { return []byte(keyZone + node) }
func bornKey(of messages.Address) []byte { return []byte(keyBorn + of.Key()) }

// formerly names a machine that was the node before another one took its name. No node has such a name, and a zone that
// it had stays what it was.
func formerly(node, store string) string { return node + "/" + store }

// zoneOf is what a node has said, or a machine that was one.
func (c *carried) zoneOf(node string) (zone, error) {
	if c.r.zones[node].name == "" && c.zoned[node].name == "" {
		return zone{}, nil
	}
	form, _, err := c.tx.get(zoneKey(node))
	return zoneOf(form), err
}

// bound is the zone that an actor keeps to, and the machine on which its key began.
func (c *carried) bound(a messages.Address) (to zone, first []byte, err error) {
	first, ok, err := c.tx.get(bornKey(a))
	if err != nil || !ok {
		return zone{}, nil, err
	}
	to, err = c.zoneOf(string(first))
	if err != nil || !slices.Contains(to.kinds, a.Kind()) {
		return zone{}, nil, err
	}
	return to, first, nil
}

// fitting are those of some nodes on which an actor may live. bound reports that it may not live on all.
func (c *carried) fitting(a messages.Address, nodes []string) (fit []string, bound bool, err error) {
	if len(c.r.zones)+len(c.zoned) == 0 {
		return nodes, false, nil
	}
	want, _, err := c.bound(a)
	if err != nil || want.name == "" {
		return nodes, false, err
	}
	for _, node := range nodes {
		has, err := c.zoneOf(node)
		if err != nil {
			return nil, true, err
		}
		if has.within(want) {
			fit = append(fit, node)
		}
	}
	return fit, true, nil
}

// begins notes where a key begins: on the node from which its first mail or claim comes. Mail of an actor comes from
// where the key of that one began, and what is stored from before the cluster from the node that founded it. As long as
// no node has a zone nothing is noted, as by those who know none.
func (c *carried) begins(a, sender messages.Address) error {
	if len(c.r.zones)+len(c.zoned) == 0 {
		return nil
	}
	_, ok, err := c.tx.get(bornKey(a))
	if err != nil || ok {
		return err
	}
	first, ok, err := c.stored(a)
	if err == nil && !ok && sender != "" {
		first, ok, err = c.tx.get(bornKey(sender))
	}
	if err != nil {
		return err
	}
	if !ok {
		first = []byte(c.en.node)
	}
	c.tx.write(Op{Key: bornKey(a), Value: first})
	return nil
}

// stored returns the node that founded the cluster if something of a key is stored that did not begin in the cluster.
func (c *carried) stored(a messages.Address) (founder []byte, ok bool, err error) {
	founder, ok, err = c.tx.get([]byte(keyBorn))
	if err != nil || !ok {
		return nil, false, err
	}
	said, err := c.zoneOf(string(founder))
	ok = false
	for _, kind := range append(said.kinds, a.Kind()) {
		if err != nil || ok {
			break
		}
		err = c.r.store.Scan([]byte(ofActor(keyState, messages.To(kind, a.Key()), "")), nil, func(_, _ []byte) bool {
			ok = true
			return false
		})
	}
	return founder, ok, err
}

// founds notes that the node that comes is the first one, and has a zone.
func (c *carried) founds() (err error) {
	first := true
	err = c.r.store.Scan([]byte(keyStoreOf), nil, func(_, _ []byte) bool {
		first = false
		return false
	})
	if err == nil && first && zoneOf(c.en.note).name != "" {
		c.tx.write(Op{Key: []byte(keyBorn), Value: []byte(c.en.node)})
	}
	return err
}

// place returns the node that gets an actor without an owner: the one that wants it if that is there, or else
// another. One that fits on none of those is given to the machine on which it began, and waits for one that fits.
func (c *carried) place(a messages.Address, wants string) (string, error) {
	if c.r.members[wants] != 0 {
		fit, _, err := c.fitting(a, []string{wants})
		if err != nil || len(fit) > 0 {
			return wants, err
		}
	}
	fit, bound, err := c.fitting(a, c.others(wants))
	if err != nil || !bound || len(fit) > 0 {
		return oneOf(a, fit), err
	}
	first, _, err := c.tx.get(bornKey(a))
	return string(first), err
}

// binds has the key of an actor that would live anywhere begin where that of a sender of the zone did: what the one
// tells the other must not leave the zone either. Its actors move to where they fit. A key that keeps to words which
// the sender's zone lacks stays where it is.
func (c *carried) binds(sender, to messages.Address) error {
	if sender == "" || sender.Key() == to.Key() || len(c.r.zones)+len(c.zoned) == 0 {
		return nil
	}
	said, from, err := c.bound(sender)
	if err != nil || !slices.Contains(said.kinds, to.Kind()) {
		return err
	}
	if own, _, err := c.bound(to); err != nil || own.within(said) || !said.within(own) {
		return err
	}
	c.tx.write(Op{Key: bornKey(to), Value: from})
	for _, kind := range said.kinds {
		a := messages.To(kind, to.Key())
		owner := c.holder(a)
		if owner == "" {
			continue
		}
		next, err := c.place(a, owner)
		if err == nil && next != owner {
			err = c.settle(a, next)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// first gives an actor an owner that has none and gets mail, of a sender unless that is "", or is claimed.
func (c *carried) first(a, sender messages.Address) error {
	if err := c.begins(a, sender); err != nil {
		return err
	}
	owner, err := c.place(a, c.en.node) // which may not be there any more
	if err != nil {
		return err
	}
	return c.settle(a, owner)
}

// succeed has what began on a machine, whose name another one has taken, name that machine: what it said of its zone
// goes on for that, whatever the new one says.
func (c *carried) succeed(store string) error {
	node := c.en.node
	before := formerly(node, store)
	said, err := c.zoneOf(node)
	if err != nil {
		return err
	}
	if said.name != "" {
		c.tx.write(Op{Key: zoneKey(before), Value: said.form()})
		c.tx.write(Op{Key: zoneKey(node), Delete: true})
		c.zones(before, said)
		c.zones(node, zone{})
	}
	return c.r.store.Scan([]byte(keyBorn), nil, func(k, v []byte) bool {
		if string(v) == node {
			c.tx.write(Op{Key: bytes.Clone(k), Value: []byte(before)})
		}
		return true
	})
}

func (c *carried) zones(machine string, said zone) {
	if c.zoned == nil {
		c.zoned = map[string]zone{}
	}
	c.zoned[machine] = said
}

// rezone notes the zone of a node that has come, and moves to where they fit the actors that are where they do not
// fit any more, or on a node that is not there.
func (c *carried) rezone() error {
	node, said := c.en.node, zoneOf(c.en.note)
	if said.name != "" || c.r.zones[node].name != "" {
		c.tx.write(Op{Key: zoneKey(node), Value: said.form(), Delete: said.name == ""})
		c.zones(node, said)
	}
	if said.name != "" && len(c.r.zones) == 0 {
		if err := c.bear(); err != nil {
			return err
		}
	}
	if len(c.r.zones)+len(c.zoned) == 0 {
		return nil
	}
	up := append(c.others(node), node)
	slices.Sort(up)
	for _, a := range c.held(func(string) bool { return true }) {
		fit, _, err := c.fitting(a, up)
		owner := c.holder(a)
		next := oneOf(a, fit)
		if err == nil && len(fit) == 0 && slices.Contains(up, owner) {
			next, err = c.place(a, owner) // no zone of its own any more: it waits for where it began
		}
		if err != nil {
			return err
		}
		if next == "" || slices.Contains(fit, owner) {
			continue
		}
		if err := c.settle(a, next); err != nil {
			return err
		}
	}
	return nil
}

// bear notes of the keys that began before any node had a zone that they began where their actors are now.
func (c *carried) bear() error {
	for _, a := range c.held(func(string) bool { return true }) {
		_, ok, err := c.tx.get(bornKey(a))
		if err != nil {
			return err
		}
		if owner := c.holder(a); !ok && owner != "" {
			c.tx.write(Op{Key: bornKey(a), Value: []byte(owner)})
		}
	}
	return nil
}

// held are the actors of some owners, sorted.
func (c *carried) held(by func(node string) bool) (list []messages.Address) {
	for a, owner := range c.r.holders {
		if by(owner) {
			list = append(list, a)
		}
	}
	slices.Sort(list)
	return list
}

// Waiting counts the actors whose owner is not there: they may live nowhere else, see [Kind.Zoned].
func (r *Replica) Waiting() (n int) {
	r.look.RLock()
	defer r.look.RUnlock()
	for _, node := range r.holders {
		if r.members[node] == 0 {
			n++
		}
	}
	return n
}

// Waits reports whether the owner of an actor is not there.
func (r *Replica) Waits(a messages.Address) bool {
	r.look.RLock()
	defer r.look.RUnlock()
	owner, owned := r.holders[a]
	return owned && r.members[owner] == 0
}

// Zones are those of the nodes that have said one; see [ReplicaOptions].
func (r *Replica) Zones() map[string]string {
	r.look.RLock()
	defer r.look.RUnlock()
	zones := map[string]string{}
	for machine, said := range r.zones {
		if !strings.Contains(machine, formerly("", "")) {
			zones[machine] = said.name
		}
	}
	return zones
}

// Stranded counts the actors of a node that would wait without it: they may live on none of the others that are there.
func (r *Replica) Stranded(node string) (n int, err error) {
	r.look.RLock()
	defer r.look.RUnlock()
	c := r.asStored()
	others := c.others(node)
	for _, a := range c.held(func(owner string) bool { return owner == node }) {
		fit, bound, err := c.fitting(a, others)
		if err != nil {
			return 0, err
		}
		if bound && len(fit) == 0 {
			n++
		}
	}
	return n, nil
}

// Unfit counts the actors that a store has of a cluster, and that may not live on a machine with a zone: once that is
// alone, it runs them all.
func Unfit(st Store, name string) (n int, err error) {
	r := &Replica{store: st}
	if err := r.readHolders(); err != nil {
		return 0, err
	}
	c, has := r.asStored(), zone{name: name}
	for _, a := range c.held(func(string) bool { return true }) {
		want, _, err := c.bound(a)
		if err != nil {
			return 0, err
		}
		if !has.within(want) {
			n++
		}
	}
	return n, nil
}

// Tells reports whether what is kept under a key may be told under another one: that keeps to the zone of the first, so
// that no model gets to know what it may not, wherever its actors are and will be.
func (r *Replica) Tells(of, to string) (bool, error) {
	r.look.RLock()
	defer r.look.RUnlock()
	if len(r.zones) == 0 || of == to {
		return true, nil
	}
	c := r.asStored()
	said, err := c.keeps(of)
	if err != nil || said.name == "" {
		return err == nil, err
	}
	has, err := c.keeps(to)
	return err == nil && has.within(said), err
}

// keeps is the zone of the machine on which a key began.
func (c *carried) keeps(key string) (zone, error) {
	first, ok, err := c.tx.get([]byte(keyBorn + key))
	if err != nil || !ok {
		return zone{}, err
	}
	return c.zoneOf(string(first))
}

// asStored reads what was carried out so far. The caller holds r.look.
func (r *Replica) asStored() *carried { return &carried{r: r, tx: &transaction{view: r.store}} }
