package journal

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashicorp/raft"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

// Raft and a proposal that has come back carry out the same log: while one of them does what
// follows from an entry, the other does not go on to the next.
func TestOneEntryAtATime(t *testing.T) {
	note := []byte("\x01\x04\x05mac-b\x01\x01\x00\x05topic\x00\x02n\x00\x00") // in the first form of entries
	synctest.Test(t, func(t *testing.T) {
		var m *machine
		entries, ended := raft.NewInmemStore(), make(chan struct{})
		noted := false
		r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: mem.New(),
			Note: func(string, string, []byte) error {
				noted = true
				go func() {
					defer close(ended)
					m.upTo(place{Index: 2, Term: 1}, entries)
				}()
				synctest.Wait()
				if at := m.o.Replica.Applied(); at != 1 {
					t.Errorf("while entry 1 is carried out, the replica is at entry %d", at)
				}
				return nil
			}})
		if err != nil {
			t.Fatal(err)
		}
		m = newMachine(t.Context(), &Options{Replica: r})
		log := []*raft.Log{{Index: 1, Term: 1, Data: note},
			{Index: 2, Term: 1, Data: []byte("\x01\xff no entry at all")}}
		if err := entries.StoreLogs(log); err != nil {
			t.Fatal(err)
		}
		if err := m.Apply(log[0]); err != nil || !noted {
			t.Fatalf("Apply = %v, the note was handed on: %v", err, noted)
		}
		<-ended
		if at := r.Applied(); at != 2 {
			t.Errorf("Applied() = %d, want both entries", at)
		}
	})
}

// A node carries out what a majority has as soon as it has it too, without waiting for raft's next word.
func TestCarriedOutOnceItIsHere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := engine.NewReplica(engine.ReplicaOptions{Node: "mac-a", Store: mem.New()})
		if err != nil {
			t.Fatal(err)
		}
		j := &Journal{ctx: t.Context(), o: Options{Replica: r}}
		j.o.Timing.defaults()
		j.machine = newMachine(t.Context(), &j.o)
		if j.entries, err = raftlog.Open(mem.New()); err != nil {
			t.Fatal(err)
		}
		const late = 5 * time.Millisecond
		time.AfterFunc(late, func() {
			entry := raft.Log{Index: 1, Term: 1, Data: []byte("\x01\xff no entry at all")}
			if err := j.entries.StoreLogs([]*raft.Log{&entry}); err != nil {
				t.Error(err)
			}
		})
		began := time.Now()
		j.carryOut(engine.Proposal{}, place{Index: 1, Term: 1})
		if took := time.Since(began); r.Applied() != 1 || took > 2*late {
			t.Errorf("after %v the replica is at entry %d, want 1 soon after %v", took, r.Applied(), late)
		}
	})
}

// A node whose heartbeats fail is missing until they go on. A failure of an expelled member does
// not count against a new machine with its name, and a late report from an earlier term soon
// expires.
func TestMissing(t *testing.T) {
	failed := raft.FailedHeartbeatObservation{PeerID: "mac-c"}
	for name, k := range map[string]struct {
		then  any
		after time.Duration
		want  bool
	}{
		"still failing":    {failed, 0, true},
		"goes on":          {raft.ResumedHeartbeatObservation{PeerID: "mac-c"}, 0, false},
		"another leader":   {raft.LeaderObservation{LeaderID: "mac-a"}, 0, false},
		"expelled":         {raft.PeerObservation{Peer: raft.Server{ID: "mac-c"}, Removed: true}, 0, false},
		"another expelled": {raft.PeerObservation{Peer: raft.Server{ID: "mac-b"}, Removed: true}, 0, true},
		"no word since":    {failed, 10 * time.Second, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				j := &Journal{failing: map[string]failure{}, changed: make(chan struct{})}
				j.o.Timing.defaults()
				see := func(data any) {
					if o := (raft.Observation{Data: data}); watched(&o) {
						j.observe(o)
					}
				}
				for range 5 {
					see(failed)
					time.Sleep(time.Second)
				}
				see(k.then)
				time.Sleep(k.after)
				if got := j.missing()["mac-c"]; got != k.want {
					t.Errorf("missing: %v, want %v", got, k.want)
				}
			})
		})
	}
}

// A leader that died is missing for as long as it has been silent, not only since another one was elected.
func TestAFormerLeaderIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		died := time.Now()
		j := &Journal{failing: map[string]failure{}, changed: make(chan struct{}),
			heard: func() time.Time { return died }}
		j.o.Node = "mac-a"
		j.o.Timing.defaults()
		j.observe(raft.Observation{Data: raft.LeaderObservation{LeaderID: "mac-c"}})
		time.Sleep(j.o.Timing.Down - time.Millisecond)
		for _, leader := range []raft.ServerID{"", "mac-a"} {
			j.observe(raft.Observation{Data: raft.LeaderObservation{LeaderID: leader}})
		}
		for _, node := range []raft.ServerID{"mac-b", "mac-c"} {
			j.observe(raft.Observation{Data: raft.FailedHeartbeatObservation{PeerID: node, LastContact: time.Now()}})
		}
		if got := j.missing(); got["mac-b"] || got["mac-c"] {
			t.Errorf("a millisecond early missing are %v, want nobody", got)
		}
		time.Sleep(time.Millisecond)
		if got := j.missing(); got["mac-b"] || !got["mac-c"] {
			t.Errorf("missing are %v, want mac-c alone", got)
		}
	})
}
