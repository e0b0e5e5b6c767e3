package seat

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// What is in the log stands in no file if the store is encrypted, also if an older version wrote it
// in plain.
func TestTheLogIsEncrypted(t *testing.T) {
	const canary = "canary-77aa"
	s, ring := founder(t)
	o, st := s.o, mem.New()
	plain := func() (found bool) {
		err := filepath.WalkDir(identity.Dir(o.Data), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				var raw []byte
				raw, err = os.ReadFile(path)
				found = found || bytes.Contains(raw, []byte(canary))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for n, key := range [][]byte{nil, bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{1}, 32)} {
		o.Key = func() ([]byte, error) { return key, nil }
		var err error
		if s, err = Open(o); err != nil {
			t.Fatal(err)
		}
		if _, _, err := s.Start(st, nil, ring, func(err error) { t.Error(err) }); err != nil {
			t.Fatal(err)
		}
		if had := len(s.member.Status().Peers); had != min(n, 1)+1 {
			t.Errorf("start %d finds %d members in its log", n, had)
		}
		added := cluster.Peer{Node: canary, Address: fmt.Sprintf("127.0.0.1:%d", n+1), Role: cluster.Follower}
		for err = s.member.Add(t.Context(), added); errors.Is(err, cluster.ErrNoLeader); { // it is elected first
			<-time.After(10 * time.Millisecond)
			err = s.member.Add(t.Context(), added)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if plain() != (key == nil) {
			t.Errorf("with a key of %d bytes it stands in a file: %v", len(key), key != nil)
		}
	}
	to := filepath.Join(t.TempDir(), "log")
	if err := CopyLog(zerolog.Nop())(s.logDir(), to, bytes.Repeat([]byte{2}, 32), nil); err == nil {
		t.Error("a log was copied with another key")
	}
}
