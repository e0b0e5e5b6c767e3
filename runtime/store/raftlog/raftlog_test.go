package raftlog_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hashicorp/raft"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/runtime/store/raftlog"
)

func open(t *testing.T, s engine.Store) *raftlog.Log {
	t.Helper()
	l, err := raftlog.Open(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func entry(index, term uint64) *raft.Log {
	return &raft.Log{Index: index, Term: term, Type: raft.LogCommand, Data: []byte{byte(index), byte(term)},
		Extensions: []byte("x"), AppendedAt: time.Unix(int64(index), 5).UTC()}
}

// same checks the log against what it must hold, as it stands and opened anew after a power
// cut.
func same(t *testing.T, s *mem.Store, l *raftlog.Log, model map[uint64]*raft.Log, first, last uint64) {
	t.Helper()
	for _, l := range []*raftlog.Log{l, open(t, s.CloneSynced())} {
		gotFirst, _ := l.FirstIndex()
		gotLast, _ := l.LastIndex()
		if gotFirst != first || gotLast != last {
			t.Fatalf("the log goes from %d to %d, want %d to %d", gotFirst, gotLast, first, last)
		}
		for i := max(first, 1) - 1; i <= last+1; i++ {
			var got raft.Log
			err := l.GetLog(i, &got)
			want := model[i]
			switch {
			case want == nil:
				if !errors.Is(err, raft.ErrLogNotFound) {
					t.Fatalf("entry %d: %v, want none", i, err)
				}
			case err != nil:
				t.Fatal(err)
			case got.Term != want.Term || got.Type != want.Type || !bytes.Equal(got.Data, want.Data) ||
				!bytes.Equal(got.Extensions, want.Extensions) || !got.AppendedAt.Equal(want.AppendedAt):
				t.Fatalf("entry %d is %+v, want %+v", i, got, want)
			}
		}
	}
}

func TestLogKeepsWhatRaftStores(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	s := mem.New()
	l := open(t, s)
	model := map[uint64]*raft.Log{}
	var first, last uint64
	for step := range uint64(100) {
		switch rng.IntN(4) {
		case 0: // a snapshot was taken
			to := first + uint64(rng.IntN(2500))
			if err := l.DeleteRange(first, to); err != nil {
				t.Fatal(err)
			}
			for i := first; i <= min(to, last); i++ {
				delete(model, i)
			}
			first = min(to, last) + 1
		case 1: // another leader has other entries
			from := last - min(last, uint64(rng.IntN(5)))
			if err := l.DeleteRange(max(from, first), last); err != nil {
				t.Fatal(err)
			}
			for i := max(from, first); i <= last; i++ {
				delete(model, i)
			}
			last = max(from, first) - 1
		default:
			var entries []*raft.Log
			n := uint64(1 + rng.IntN(1000))
			if len(model) == 0 {
				first, last = max(first, last+1), max(first, last+1)-1
			}
			for i := range n {
				e := entry(last+1+i, step)
				entries, model[e.Index] = append(entries, e), e
			}
			last += n
			if err := l.StoreLogs(entries); err != nil {
				t.Fatal(err)
			}
		}
		if len(model) == 0 {
			same(t, s, l, model, 0, 0)
		} else if step%10 == 0 {
			same(t, s, l, model, first, last)
		}
	}
}

func TestLogTakesMoreThanABatch(t *testing.T) {
	s := mem.New()
	l := open(t, s)
	var entries []*raft.Log
	model := map[uint64]*raft.Log{}
	for i := range uint64(5) {
		e := &raft.Log{Index: i + 1, Data: bytes.Repeat([]byte{byte(i)}, engine.MaxBatch/3)}
		entries, model[e.Index] = append(entries, e), e
	}
	if err := l.StoreLogs(entries); err != nil {
		t.Fatal(err)
	}
	same(t, s, l, model, 1, 5)
}

func TestLogRemembers(t *testing.T) {
	s := mem.New()
	l := open(t, s)
	if n, err := l.GetUint64([]byte("CurrentTerm")); n != 0 || err != nil {
		t.Errorf("GetUint64 of nothing = %d, %v, want 0", n, err)
	}
	if v, err := l.Get([]byte("LastVoteCand")); len(v) != 0 || err != nil {
		t.Errorf("Get of nothing = %q, %v, want none", v, err)
	}
	err := errors.Join(l.SetUint64([]byte("CurrentTerm"), 7), l.Set([]byte("LastVoteCand"), []byte("a")))
	if err != nil {
		t.Fatal(err)
	}
	l = open(t, s.CloneSynced())
	if n, err := l.GetUint64([]byte("CurrentTerm")); n != 7 || err != nil {
		t.Errorf("GetUint64 = %d, %v, want 7", n, err)
	}
	if _, err := l.GetUint64([]byte("LastVoteCand")); !errors.Is(err, raftlog.ErrEntry) {
		t.Errorf("GetUint64 of a text: %v, want ErrEntry", err)
	}
}

// FuzzEntry gives the log rows that it did not write: it must not panic.
func FuzzEntry(f *testing.F) {
	f.Add([]byte{1, 0, 1, 2, 1, 'x', 'y'})
	f.Fuzz(func(t *testing.T, row []byte) {
		s := mem.New()
		key := append([]byte("e/"), 0, 0, 0, 0, 0, 0, 0, 1)
		if err := s.Apply([]engine.Op{{Key: key, Value: row}}, true); err != nil {
			t.Fatal(err)
		}
		var got raft.Log
		if err := open(t, s).GetLog(1, &got); err != nil && !errors.Is(err, raftlog.ErrEntry) {
			t.Errorf("GetLog of %x: %v, want ErrEntry", row, err)
		}
	})
}
