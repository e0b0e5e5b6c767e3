package runtime_test

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/project"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// guessable are the hashes that anybody can make of words, as a key may hold them. Cut ones
// are found too.
func guessable(words string) (list []string) {
	a, b, c, d := sha256.Sum256([]byte(words)), sha1.Sum([]byte(words)), md5.Sum([]byte(words)), fnv.New64a()
	d.Write([]byte(words))
	for _, sum := range [][]byte{a[:15], b[:15], c[:15], d.Sum(nil)} { // 15 bytes end with a letter of base32 and 64
		short := sum[:min(6, len(sum))]
		list = append(list, string(short), hex.EncodeToString(short), base64.URLEncoding.EncodeToString(short),
			base64.StdEncoding.EncodeToString(short), strings.ToLower(base32.StdEncoding.EncodeToString(sum[:5])),
			base32.StdEncoding.EncodeToString(sum[:5]))
	}
	return list
}

// named are the ways in which a rule may name what somebody said.
func named(words string) (list []string) {
	list = append(list, words)
	for _, kind := range []string{"person", "place", "org", "fact", "task", "preference", "relation", "summary", "card",
		"project", "content"} {
		list = append(list, kind+"\x00"+words, kind+":"+words)
		for _, of := range []string{"", "hana", "Hana"} {
			list = append(list, kind+"\x00"+of+"\x00"+words)
		}
	}
	for _, name := range []memory.FactName{memory.Home, memory.Work, memory.School} {
		list = append(list, "fact\x00"+words+"\x00"+string(name))
	}
	return list
}

// telling lists which keys of stored rows hold words, or a hash of them that needs no secret:
// keys are not sealed, outlive their rows in backups, and short words are in dictionaries.
func telling(t *testing.T, data string, words ...string) (list []string) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: filepath.Join(data, "store")})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	var keys [][]byte
	if err := st.Scan(nil, nil, func(key, _ []byte) bool {
		keys = append(keys, bytes.Clone(key))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if len(keys) < 10 {
		t.Fatalf("%d rows are stored: this test shows nothing", len(keys))
	}
	all := bytes.Join(keys, []byte("\n"))
	for _, w := range words {
		for _, name := range named(w) {
			for _, h := range append(guessable(name), w) {
				if bytes.Contains(all, []byte(h)) {
					list = append(list, fmt.Sprintf("%q by a plain hash of %q", w, name))
				}
			}
		}
	}
	return list
}

// noKeyTells fails if the key of a stored row tells words.
func noKeyTells(t *testing.T, data string, words ...string) {
	t.Helper()
	if list := telling(t, data, words...); len(list) > 0 {
		t.Errorf("the keys of rows tell %s", strings.Join(list, ", "))
	}
}

// learns has a runtime remember two messages, and waits until something has grown of them.
func learns(t *testing.T, rt *runtime.Runtime) {
	t.Helper()
	list := []messages.Event{
		{ID: "m1", Speaker: "Hana", At: time.Now().Add(-time.Hour), Text: "田中さんと大阪に住んでます"},
		{ID: "m2", Speaker: "Hana", At: time.Now(), Text: "任天堂で働いています。猫の名前はミケです"}}
	if err := rt.Inject(t.Context(), messages.To(recall.Kind, "c-1"),
		messages.Remember{Conversation: "c-1", Events: list}, ""); err != nil {
		t.Fatal(err)
	}
	hasLearned(t, rt)
}

func hasLearned(t *testing.T, rt *runtime.Runtime) {
	t.Helper()
	for {
		known, err := rt.Backend().(control.MemoryBackend).Learned(t.Context(), "")
		switch {
		case err != nil:
			t.Fatal(err)
		case len(known.States) >= 3 && len(known.Names) > 0:
			return
		}
	}
}

// TestKeysOfRowsTellNobody: what has grown of a conversation is found by its words, and the
// keys of its rows do not tell them to somebody without the conversation's key.
func TestKeysOfRowsTellNobody(t *testing.T) {
	cfg := noWindow(t)
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	learns(t, rt)
	if err := stop(); err != nil {
		t.Error(err)
	}
	noKeyTells(t, cfg.Data, "田中", "大阪", "任天堂", "ミケ", "hana")
}

// TestKeysOfAnOlderStoreAreMoved: a store whose keys tell something is open for anybody with
// its files until Kehai starts again, even where nothing is ever said again.
func TestKeysOfAnOlderStoreAreMoved(t *testing.T) {
	cfg := noWindow(t)
	rt := newRuntime(t, cfg, runtime.WithStore(func() (engine.Store, error) {
		return store.Open(store.Options{Dir: filepath.Join(cfg.Data, "store")})
	}))
	stop := start(t, rt)
	learns(t, rt)
	if err := stop(); err != nil {
		t.Error(err)
	}
	words := []string{"田中", "大阪", "任天堂"}
	if telling(t, cfg.Data, words...) == nil {
		t.Fatal("the keys of a store without keys tell nothing: this test shows nothing")
	}
	rt = newRuntime(t, cfg)
	stop = start(t, rt)
	moved := func() bool {
		e, err := rt.Backend().(admin.Backend).Engine()
		if err != nil {
			t.Fatal(err)
		}
		raw, _, err := e.ReadRow("growth/c-1", growth.Lanes.Row(growth.LaneRow))
		if err != nil {
			t.Fatal(err)
		}
		lane, err := growth.Lanes.Decode(raw)
		return err == nil && lane.Rows != ""
	}
	for !moved() {
		if t.Context().Err() != nil {
			t.Fatal("the rows are not moved")
		}
	}
	hasLearned(t, rt)
	if err := stop(); err != nil {
		t.Error(err)
	}
	noKeyTells(t, cfg.Data, words...)
}

// TestAProjectKeepsItsID: a project that an older version named goes on under its id.
func TestAProjectKeepsItsID(t *testing.T) {
	rt := newRuntime(t, noWindow(t))
	stop := start(t, rt)
	if err := rt.Inject(t.Context(), messages.To(project.Kind, "p-0123456789ab"), messages.DefineProject{
		Project: "p-0123456789ab", Plan: messages.InterviewPlan{Name: "mornings"}}, ""); err != nil {
		t.Fatal(err)
	}
	for b := rt.Talk(); ; {
		list, err := b.Insights(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(list) > 0 {
			break
		}
	}
	if got, err := rt.Talk().Define(t.Context(), "mornings", []byte(mornings)); got != "p-0123456789ab" || err != nil {
		t.Errorf("Define(mornings) = %s, %v, want the project that there is", got, err)
	}
	one, err := rt.Talk().Define(t.Context(), "evenings", []byte(mornings))
	two, bad := rt.Talk().Define(t.Context(), "evenings", []byte(mornings))
	if one != two || err != nil || bad != nil {
		t.Errorf("Define(evenings) twice = %s, %s, %v, %v, want the same", one, two, err, bad)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
}
