package engine_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// zoned are voices of mac-b and mac-d, which have the zone, and of mac-e, which has none.
func zoned() (b, d, e *engine.Voice) {
	b, d, e = voice("b", 1), voice("d", 1), voice("e", 1)
	for _, v := range []*engine.Voice{b, d} {
		v.Zone, v.Zoned = "local", []string{keeper.Kind()}
	}
	return b, d, e
}

func (c *copyOf) owner(of messages.Address, want, why string) {
	c.t.Helper()
	if got := c.Holder(of); got != want {
		c.t.Errorf("%s is owned by %q, want %q: %s", of, got, want, why)
	}
}

// What began where there is a model stays where there is one; all else goes anywhere.
func TestAZoneKeepsWhatBeganInIt(t *testing.T) {
	const reader = messages.Address("reader/x")
	c := newCopy(t, mem.New())
	b, d, e := zoned()
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(reader, keeper)), e.Commit(mail("keeper/y", "reader/y")))
	c.owner(keeper, "mac-b", "its mail came from there")
	c.owner("keeper/y", "mac-e", "it began where there is no zone")
	c.log(e.Down("mac-b", 1))
	c.owner(reader, "mac-e", "its kind is not of the zone")
	c.owner(keeper, "mac-b", "nobody who is there has the zone")
	if n := c.Waiting(); n != 1 || !c.Waits(keeper) || c.Waits("reader/x") || c.Waits("keeper/z") {
		t.Errorf("Waiting() = %d, want 1: the keeper alone, which %v waits", n, c.Waits(keeper))
	}
	c.log(e.Commit(mail(keeper)), e.Claim(keeper))
	c.owner(keeper, "mac-b", "mail and claims do not move it")
	c.log(d.Hello(0))
	c.owner(keeper, "mac-d", "it has the zone, and is there")
	c.owner("keeper/y", "mac-e", "it is well where it is")
	if n := c.Waiting(); n != 0 {
		t.Errorf("Waiting() = %d, want 0", n)
	}
	again := newCopy(t, c.store)
	again.log(d.Down("mac-d", 1))
	again.owner(keeper, "mac-d", "after a restart the zones are known")
	again.log(d.Hello(0))
	again.owner(keeper, "mac-d", "it is back")
}

// An actor whose key began in a zone is placed there at its first mail too, and waits for the node on which the key
// began while nobody of the zone is there.
func TestAZoneIsOfTheKey(t *testing.T) {
	for name, first := range map[string]func(e *engine.Voice) []byte{
		"mail":  func(e *engine.Voice) []byte { return e.Commit(mail(keeper)) },
		"claim": func(e *engine.Voice) []byte { return e.Claim(keeper) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCopy(t, mem.New())
			b, d, e := zoned()
			c.log(b.Hello(0), e.Hello(0), b.Commit(mail("reader/x")), e.Down("mac-b", 1))
			c.owner("reader/x", "mac-e", "its kind is not of the zone")
			c.log(first(e))
			c.owner(keeper, "mac-b", "the key began there")
			c.log(d.Hello(0))
			c.owner(keeper, "mac-d", "it has the zone")

			c = newCopy(t, mem.New())
			b, d, e = zoned()
			c.log(b.Hello(0), d.Hello(0), e.Hello(0), b.Commit(mail("reader/x")), first(e))
			if got := c.Holder(keeper); got != "mac-b" && got != "mac-d" {
				t.Errorf("%s owns it, want one of the zone", got)
			}
		})
	}
}

// A key began where its first mail comes from, whoever gets it because that node is said not to be there.
func TestAZoneIsOfWhoSent(t *testing.T) {
	for name, there := range map[string]bool{"another is there": true, "nobody is there": false} {
		t.Run(name, func(t *testing.T) {
			c := newCopy(t, mem.New())
			b, _, e := zoned()
			c.log(b.Hello(0))
			if there {
				c.log(e.Hello(0))
			}
			c.log(b.Down("mac-b", 1), b.Commit(crossed("mac-b", "store-b", 1, "reader/x")))
			if !there {
				c.log(e.Hello(0), e.Claim("reader/x"))
			}
			c.owner("reader/x", "mac-e", "its kind is not of the zone")
			c.log(e.Commit(mail(keeper)))
			c.owner(keeper, "mac-b", "the key began there")
		})
	}
	c := newCopy(t, mem.New())
	b, _, e := zoned()
	c.log(b.Hello(0), e.Hello(0), b.Down("mac-e", 1), e.Commit(crossed("mac-e", "store-e", 1, "reader/x")))
	c.owner("reader/x", "mac-b", "nobody else is there")
	c.log(b.Commit(mail(keeper)), e.Hello(0), e.Down("mac-b", 1))
	c.owner(keeper, "mac-e", "the key began where there is no zone, though its actors were first on mac-b")
}

// What an actor begins began where the key of the actor did, wherever the actor is meanwhile.
func TestAZoneIsHandedOn(t *testing.T) {
	c := newCopy(t, mem.New())
	b, _, e := zoned()
	split := mail("reader/y")
	split.Changes[0].Actor, split.Changes[0].Epoch = "reader/x", 3
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail("reader/x")), e.Down("mac-b", 1), e.Commit(split))
	c.owner("reader/y", "mac-e", "its kind is not of the zone")
	c.log(e.Commit(mail("keeper/y")))
	c.owner("keeper/y", "mac-b", "what it holds is of what began there")
}

// What is told in the zone stays in it: who is told something by an actor that is bound to it is bound to it too.
func TestAZoneBindsWhoIsToldOfIt(t *testing.T) {
	const told, reader = messages.Address("keeper/y"), messages.Address("reader/y")
	tells := mail(told, reader)
	tells.Changes = []engine.Change{{Actor: keeper, Epoch: 2,
		Records: append(tells.Changes[0].Records, tells.Changes[1].Records...)}}
	c := newCopy(t, mem.New())
	b, _, e := zoned()
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Commit(mail(told, reader)))
	c.log(e.Commit(turnAs(told, "free", 2)), b.Commit(tells), e.Commit(turnAs(told, "late", 2)))
	c.owner(told, "mac-b", "it was told")
	c.owner(reader, "mac-e", "its kind is not of the zone")
	if got := c.row("s/keeper/y\x00by"); got != "free" {
		t.Errorf("the row is of %q, want of who owned it before it was told", got)
	}
	c.has(2, "i/keeper/y\x00", "both have sent to it")
	c.log(e.Down("mac-b", 1))
	c.owner(told, "mac-b", "it waits for it")

	back := mail(keeper)
	back.Changes[0].Actor, back.Changes[0].Epoch = told, 2
	c = newCopy(t, mem.New())
	b, _, e = zoned()
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Commit(mail(told)), e.Commit(back))
	c.owner(told, "mac-e", "it has told, and was told nothing")
}

func turnAs(a messages.Address, who string, epoch uint64) engine.Batch {
	return engine.Batch{Changes: []engine.Change{{Actor: a, Epoch: epoch,
		Ops: []engine.Op{set("s/"+string(a)+"\x00by", who)}}}}
}

// What was stored before the cluster began on the node that founded it. What was owned before there was a zone began
// where it was then.
func TestAZoneOfWhatWasThereBefore(t *testing.T) {
	s := mem.New()
	if err := s.Apply([]engine.Op{set("s/keeper/x\x00by", "mac-b, alone")}, false); err != nil {
		t.Fatal(err)
	}
	c := newCopy(t, s)
	b, _, e := zoned()
	c.log(b.Hello(0), e.Hello(0), e.Commit(mail("reader/x", "reader/y")), e.Commit(mail(keeper, "keeper/y")))
	c.owner(keeper, "mac-b", "it was there before the cluster")
	c.owner("keeper/y", "mac-e", "it began there")

	c = newCopy(t, mem.New())
	b, _, e = zoned()
	later := voice("b", 2)
	later.Zone, later.Zoned = b.Zone, b.Zoned
	b.Zone = ""
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail("reader/x")), e.Commit(mail("reader/y")))
	c.has(0, "m/born/", "nodes that know no zones note nothing")
	c.log(later.Hello(0), e.Commit(mail(keeper)), later.Commit(mail("keeper/y")))
	c.owner(keeper, "mac-b", "the key was there when the zone came")
	c.log(e.Down("mac-b", 2))
	c.owner(keeper, "mac-b", "nobody else has the zone")
	c.owner("keeper/y", "mac-e", "the key was on mac-e when the zone came")
}

// The zone that a node says last counts: with none it binds nothing, and a node that loses it loses what is bound.
func TestAZoneChanges(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d, e := zoned()
	c.log(b.Hello(0), d.Hello(0), e.Hello(0), b.Commit(mail(keeper)))
	other := voice("b", 2)
	other.Zone = "cloud"
	d2 := voice("d", 2)
	c.log(d2.Hello(0), e.Down("mac-b", 1))
	c.owner(keeper, "mac-b", "nobody has its zone any more")
	c.log(e.Down("mac-d", 2), other.Hello(0))
	c.owner(keeper, "mac-b", "it is back")
	c.log(e.Down("mac-b", 2))
	c.owner(keeper, "mac-e", "the zone on which it began binds it no more")
	c.has(1, "m/zone/", "one node says one")
}

// What began on another node does not stay on one that comes back without the zone, as the same machine or another one.
func TestANodeThatLeavesAZoneKeepsNothingOfIt(t *testing.T) {
	for name, store := range map[string]string{"the same machine": "store-d", "another machine": "store-new"} {
		t.Run(name, func(t *testing.T) {
			c := newCopy(t, mem.New())
			b, d, e := zoned()
			c.log(b.Hello(0), d.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Down("mac-b", 1))
			c.owner(keeper, "mac-d", "it has the zone")
			back := voice("d", 2)
			back.Store = store
			c.log(back.Hello(0))
			c.owner(keeper, "mac-b", "nobody who is there has the zone")
			next := voice("b", 2)
			next.Zone, next.Zoned = b.Zone, b.Zoned
			c.log(next.Hello(0))
			c.owner(keeper, "mac-b", "it is back")
		})
	}
}

// What waited for a node is let go as soon as the node on which it began comes back without its zone.
func TestAZoneThatIsGoneHoldsNothingBack(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d, e := zoned()
	c.log(b.Hello(0), d.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Down("mac-b", 1), e.Down("mac-d", 1))
	c.owner(keeper, "mac-d", "nobody who is there has the zone")
	c.log(voice("b", 2).Hello(0))
	if got := c.Holder(keeper); got == "mac-d" || c.Waiting() > 0 {
		t.Errorf("%q owns it, which is not there, and nothing binds it any more", got)
	}
}

// A machine that takes the place of another one of its name takes over what waits for that.
func TestANewMachineOfAZone(t *testing.T) {
	c := newCopy(t, mem.New())
	b, _, e := zoned()
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), b.Commit(turnOf("b", 2)), e.Down("mac-b", 1))
	next := voice("b", 2)
	next.Store, next.Zone, next.Zoned = "store-new", b.Zone, b.Zoned
	c.log(next.Hello(0))
	c.owner(keeper, "mac-b", "it has the zone")
	c.log(b.Commit(turnOf("late", 2)), next.Commit(turnOf("new", 3)))
	if got := c.row("s/keeper/x\x00by"); got != "new" {
		t.Errorf("the row is of %q, want the new machine's", got)
	}
}

// What began on a machine keeps to what that said, whatever another one says that has its name later, and what began
// where there was no zone keeps to none.
func TestAZoneIsOfAMachine(t *testing.T) {
	for name, meanwhile := range map[string]func(b, e *engine.Voice) [][]byte{
		"the one before was up":   func(_, _ *engine.Voice) [][]byte { return nil },
		"the one before was down": func(_, e *engine.Voice) [][]byte { return [][]byte{e.Down("mac-b", 1)} },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCopy(t, mem.New())
			b, d, e := zoned()
			c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Commit(mail("keeper/y")))
			c.log(meanwhile(b, e)...)
			cloud := voice("b", 2)
			cloud.Store = "store-new"
			c.log(cloud.Hello(0), cloud.Commit(mail("keeper/z")), cloud.Commit(mail(keeper), turnOf("wrong", 3)))
			if got := c.Holder(keeper); got == "mac-b" || got == "mac-e" {
				t.Errorf("%q owns it, and has no zone", got)
			}
			if n := c.Waiting(); n != 1 {
				t.Errorf("Waiting() = %d, want 1", n)
			}
			if got := c.Zones(); len(got) > 0 {
				t.Errorf("Zones() = %v, want none: nobody who is there has one", got)
			}
			again := newCopy(t, c.store)
			again.log(d.Hello(0))
			again.owner(keeper, "mac-d", "it has the zone")
			again.owner("keeper/z", "mac-b", "it began on the new machine")
			again.log(d.Down("mac-b", 2), d.Down("mac-e", 1))
			again.owner("keeper/z", "mac-d", "it may live anywhere")
			again.owner("keeper/y", "mac-d", "it may live anywhere")
			third, later := voice("e", 2), voice("f", 1)
			third.Store, third.Zone, third.Zoned = "store-third", d.Zone, d.Zoned
			again.log(third.Hello(0), later.Hello(0), d.Down("mac-d", 1), later.Down("mac-e", 2))
			again.owner("keeper/y", "mac-f", "it began on a machine without the zone that mac-e has now")
		})
	}
}

// An actor may live where all words of the zone hold on which its key began, also where more do.
func TestAZoneHasWords(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d, e := zoned()
	b.Zone, e.Zone, e.Zoned = "local embeds", "local", b.Zoned
	tells := mail("keeper/y")
	tells.Changes[0].Actor, tells.Changes[0].Epoch = keeper, 2
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Commit(mail("keeper/y", "keeper/z")))
	c.log(d.Down("mac-e", 1))
	c.owner("keeper/y", "mac-b", "it has the words, and more")
	c.log(e.Hello(0), d.Hello(0), d.Down("mac-b", 1))
	c.owner(keeper, "mac-b", "the others lack a word")
	if got := c.Holder("keeper/z"); got != "mac-e" && got != "mac-d" {
		t.Errorf("%q owns what two others fit for", got)
	}
	c.log(b.Commit(tells))
	c.owner("keeper/y", "mac-b", "it was told what must not leave for a zone with fewer words")
}

// A node tells how much would wait without it, and what must not be told to whom.
func TestAZoneTellsWhatWouldWait(t *testing.T) {
	c := newCopy(t, mem.New())
	b, d, e := zoned()
	want := func(node string, n int) {
		t.Helper()
		if got, err := c.Stranded(node); err != nil || got != n {
			t.Errorf("Stranded(%s) = %d, %v, want %d", node, got, err, n)
		}
	}
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail(keeper, "reader/x", "keeper/z")), e.Commit(mail("keeper/y")))
	want("mac-b", 2)
	want("mac-e", 0)
	for keys, told := range map[[2]string]bool{{"x", "y"}: false, {"y", "x"}: true, {"x", "z"}: true, {"x", "x"}: true,
		{"x", "never"}: false, {"never", "y"}: true} {
		if got, err := c.Tells(keys[0], keys[1]); err != nil || got != told {
			t.Errorf("Tells(%s, %s) = %v, %v, want %v", keys[0], keys[1], got, err, told)
		}
	}
	c.log(d.Hello(0))
	want("mac-b", 0)
	c.log(d.Down("mac-d", 1), e.Down("mac-b", 1))
	want("mac-b", 2)
}

// Whoever does not know zones must not carry out what places actors by them.
func TestAZoneHasAFormOfItsOwn(t *testing.T) {
	b, _, e := zoned()
	with, without := b.Hello(0), e.Hello(0)
	if with[0] != 2 || without[0] != 1 {
		t.Errorf("forms %d and %d, want 2 and 1", with[0], without[0])
	}
	c := newCopy(t, mem.New())
	with[0] = 3
	if err := c.Apply(1, with); !errors.Is(err, engine.ErrNewer) {
		t.Errorf("Apply = %v, want ErrNewer", err)
	}
	with[0] = 1
	c.log(with)
	c.has(0, "m/", "a zone in the form that has none is no entry")
}

// A witness, and a node that gets a snapshot in between, place actors as all others do.
func TestAZoneIsTheSameForAll(t *testing.T) {
	b, d, e := zoned()
	told := mail("keeper/y", "reader/z")
	told.Changes[0].Actor, told.Changes[0].Epoch = keeper, 3
	entries := [][]byte{b.Hello(0), e.Hello(0), b.Commit(mail(keeper)), e.Commit(mail("keeper/y", "reader/y")),
		e.Down("mac-b", 1), e.Commit(mail("keeper/z")), d.Hello(0), d.Down("mac-e", 1), voice("b", 2).Hello(0),
		d.Commit(told), voice("d", 2).Hello(0)}
	for at := range entries {
		c, late := newCopy(t, mem.New()), newCopy(t, mem.New())
		store := mem.New()
		witness, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-w", Store: store})
		if err != nil {
			t.Fatal(err)
		}
		w := &copyOf{Replica: witness, t: t, store: store, next: 1}
		c.log(entries[:at]...)
		w.log(entries...)
		var caught bytes.Buffer
		if at > 0 {
			if err := errors.Join(c.Snapshot(&caught), late.Restore(&caught)); err != nil {
				t.Fatal(err)
			}
			late.next = late.Applied() + 1
		}
		c.log(entries[at:]...)
		c.owner("keeper/y", "mac-d", "it was told")
		late.log(entries[at:]...)
		var want bytes.Buffer
		if err := c.Snapshot(&want); err != nil {
			t.Fatal(err)
		}
		for name, other := range map[string]*copyOf{"a witness": w, "who was restored": late} {
			var got bytes.Buffer
			if err := other.Snapshot(&got); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
				t.Errorf("%s holds something else, restored after %d entries; %v", name, at, err)
			}
		}
	}
}

// What keeps to a zone may not live on a machine without it that was the last of its cluster, and is alone.
func TestAZoneOutlivesTheCluster(t *testing.T) {
	c := newCopy(t, mem.New())
	b, _, e := zoned()
	c.log(b.Hello(0), e.Hello(0), b.Commit(mail("reader/x", keeper)), e.Commit(mail("keeper/y")), e.Down("mac-b", 1))
	for zone, want := range map[string]int{"": 1, "local": 0, "local more": 0, "more": 1} {
		if got, err := engine.Unfit(c.store, zone); err != nil || got != want {
			t.Errorf("Unfit(%q) = %d, %v, want %d: the keeper that began on mac-b", zone, got, err, want)
		}
	}
	if got, err := engine.Unfit(mem.New(), ""); err != nil || got != 0 {
		t.Errorf("Unfit of a store that is alone = %d, %v, want 0", got, err)
	}
}
