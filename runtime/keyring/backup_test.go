package keyring

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
)

// A backup of the keys restores all of them, into a directory without any. What is cut,
// changed or of another kind restores none.
func TestKeysAreRestored(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	row, other := seal(t, r, "a", "p", "secret"), seal(t, r, "b", "p", "other")
	seal(t, r, "gone", "p", "gone")
	var before bytes.Buffer
	if _, err := Backup(dir, &before); err != nil {
		t.Fatal(err)
	}
	if err := r.Destroy("gone"); err != nil {
		t.Fatal(err)
	}
	var backup bytes.Buffer
	if n, err := Backup(dir, &backup); n != 3 || err != nil {
		t.Fatalf("Backup() = %d, %v, want the node's key and two", n, err)
	}
	elsewhere := filepath.Join(t.TempDir(), "keys")
	if n, err := Restore(elsewhere, bytes.NewReader(backup.Bytes())); n != 3 || err != nil {
		t.Fatalf("Restore() = %d, %v, want three keys", n, err)
	}
	restored := open(t, elsewhere)
	want(t, restored, "p", row, "secret")
	want(t, restored, "p", other, "other")
	if n, err := Restore(elsewhere, bytes.NewReader(backup.Bytes())); n != 0 || err != nil {
		t.Errorf("Restore() over the same keys = %d, %v, want none to lack", n, err)
	}
	want(t, open(t, elsewhere), "p", row, "secret")
	if n, err := Restore(elsewhere, &before); n != 0 || err != nil {
		t.Errorf("Restore() of an older backup = %d, %v, want the destroyed key to stay so", n, err)
	}
	for n := 0; n < backup.Len()-1536; n += 128 { // there is the checksum, and then zeros
		dir := filepath.Join(t.TempDir(), "keys")
		if _, err := Restore(dir, bytes.NewReader(backup.Bytes()[:n])); !errors.Is(err, ErrBackup) {
			t.Errorf("Restore() of %d of %d bytes = %v, want %v", n, backup.Len(), err, ErrBackup)
		}
		if left, _ := filepath.Glob(dir + "*"); len(left) > 0 {
			t.Errorf("%q are left of a backup that is cut", left)
		}
	}
	if _, err := Backup(filepath.Join(t.TempDir(), "none"), &backup); err == nil {
		t.Error("Backup() of no directory = nil")
	}
}

// Names of a backup lead nowhere else.
func TestABackupOfKeysHoldsOnlyKeys(t *testing.T) {
	for _, name := range []string{"../node", "/tmp/node", "note", "sub/node", "list/../node", ""} {
		var b bytes.Buffer
		w := tar.NewWriter(&b)
		if err := (&archive{w, sha256.New()}).add(name, []byte("words")); err != nil {
			t.Fatal(err)
		}
		w.Close()
		dir := t.TempDir()
		if _, err := Restore(filepath.Join(dir, "keys"), &b); !errors.Is(err, ErrBackup) {
			t.Errorf("Restore() with a file %q = %v, want %v", name, err, ErrBackup)
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("a file %q leaves %v", name, left)
		}
	}
}

func FuzzRestore(f *testing.F) {
	dir := filepath.Join(f.TempDir(), "keys")
	r, err := Open(dir)
	var b bytes.Buffer
	if err == nil {
		err = r.Ready("a")
	}
	if err == nil {
		_, err = Backup(dir, &b)
	}
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		dir := t.TempDir()
		n, err := Restore(filepath.Join(dir, "keys"), bytes.NewReader(raw))
		if left, _ := os.ReadDir(dir); (err == nil) != (n > 0) || len(left) > 1 || err != nil && len(left) > 0 {
			t.Errorf("Restore() = %d, %v, and leaves %v", n, err, left)
		}
	})
}

// snapshot is a backup of these rows.
func snapshot(t *testing.T, rows map[string][]byte) *bytes.Buffer {
	t.Helper()
	var b bytes.Buffer
	if err := engine.WriteSnapshot(&b, func(yield func(k, v []byte) bool) error {
		for _, k := range slices.Sorted(maps.Keys(rows)) {
			if !yield([]byte(k), rows[k]) {
				break
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return &b
}

// A receipt tells whether what was forgotten can be read: in a backup from before, in
// what is stored now, and with the keys of before.
func TestReceipt(t *testing.T) {
	home := t.TempDir()
	dir, copied, receipts := filepath.Join(home, "keys"), filepath.Join(home, "copy"), filepath.Join(home, "receipts")
	r := open(t, dir)
	mark := []byte("\x00ks\x01")
	row := func(subject, key string) []byte {
		sealed, err := r.Seal(bytes.Clone(mark), subject, []byte(key), []byte(`1 "words"`))
		if err != nil {
			t.Fatal(err)
		}
		return sealed
	}
	before := map[string][]byte{"s/conversation/c-1\x00a\x00a": row("c-1", "s/conversation/c-1\x00a\x00a"),
		"s/conversation/c-2\x00a\x00a": row("c-2", "s/conversation/c-2\x00a\x00a"), "m/seq": []byte("12345678")}
	mine, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	if err != nil {
		t.Fatal(err)
	}
	before["m/sealed"] = mine
	var keys bytes.Buffer
	_, err = Backup(dir, &keys)
	if err == nil {
		_, err = Restore(copied, &keys)
	}
	key, ok, kerr := r.KeyOf("c-1")
	if err = errors.Join(err, kerr); err != nil || !ok {
		t.Fatal(ok, err)
	}
	now, in := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Receipts{receipts, dir}
	_, path, err := in.Begin("c-1", []engine.Key{key}, nil, now)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(when, dir string, rows map[string][]byte, want string) {
		t.Helper()
		receipt, err := ReadReceipt(path)
		if err != nil {
			t.Fatal(err)
		}
		p, err := receipt.Verify(dir, snapshot(t, rows))
		got := fmt.Sprintf("alive %d, open %d, closed %d, since %d, plain %d", len(p.Alive), p.Open, p.Closed, p.Since,
			p.Plain)
		if err != nil || got != want || p.OK() != (len(p.Alive) == 0 && p.Plain == 0) {
			t.Errorf("%s: Verify() = %s, %v, want %s", when, got, err, want)
		}
	}
	verify("before it is forgotten", dir, before, "alive 1, open 1, closed 0, since 0, plain 0")
	if err := r.Destroy("c-1"); err != nil {
		t.Fatal(err)
	}
	verify("afterwards, in a backup", dir, before, "alive 0, open 0, closed 1, since 0, plain 0")
	verify("with a copy of the keys", copied, before, "alive 1, open 1, closed 0, since 0, plain 0")
	// Interrupted, it is asked for again: the key is gone, and the receipt still names it.
	again, same, err := in.Begin("c-1", nil, nil, now.Add(time.Hour))
	if err != nil || same != path || len(again.Keys) != 1 || again.Keys[0] != key {
		t.Errorf("Begin() again = %+v in %s, %v, want the key of before in the same file", again, same, err)
	}
	if err := in.Finish(again, same, engine.Forgotten{Rows: 1, Purged: true}, now.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	after := map[string][]byte{"m/sealed": mine,
		"s/conversation/c-1\x00a\x00b": row("c-1", "s/conversation/c-1\x00a\x00b"),
		"s/conversation/c-1\x00a\x00a": before["s/conversation/c-1\x00a\x00a"],
		"s/conversation/c-3\x00a\x00a": []byte("1 2")}
	verify("with what was said since", dir, after, "alive 0, open 0, closed 1, since 1, plain 1")
	next, ok, err := r.KeyOf("c-1")
	if err != nil || !ok || next.ID != key.ID || next.Fingerprint == key.Fingerprint {
		t.Errorf("KeyOf() = %+v, %v, %v, want another key of the same id as %+v", next, ok, err, key)
	}
	if _, other, err := in.Begin("c-1", []engine.Key{next}, nil, now); err != nil || other == path {
		t.Errorf("Begin() later = %s, %v, want a receipt of its own", other, err)
	}
	raw, err := os.ReadFile(path)
	info, serr := os.Stat(path)
	if err = errors.Join(err, serr); err != nil || info.Mode() != 0o600 || !strings.Contains(string(raw), CopiedKeys) {
		t.Errorf("the receipt has mode %v, %v, and is\n%s", info.Mode(), err, raw)
	}
	for _, bad := range []string{"", "{}",
		`{"kehai_receipt":1,"conversation":"c-1","keys":[{"id":"x","fingerprint":"y"}]}`, `{"kehai_receipt":2,"conversation":"c-1"}`} {
		file := filepath.Join(home, "bad.json")
		if err := os.WriteFile(file, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadReceipt(file); !errors.Is(err, ErrReceipt) || !strings.Contains(err.Error(), file) {
			t.Errorf("ReadReceipt(%s) = %v, want %v", bad, err, ErrReceipt)
		}
	}
	if _, path, err := in.Begin("nobody", nil, nil, now); path != "" || err != nil {
		t.Errorf("Begin() of nobody = %s, %v, want no file", path, err)
	}
}

// A key that this directory never had verifies nothing: somebody has edited the receipt, or it is another's.
func TestAReceiptOfAnUnknownKey(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	r := open(t, dir)
	mine, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	if err != nil {
		t.Fatal(err)
	}
	row := seal(t, r, "c-1", "p", "words")
	key, _, err := r.KeyOf("c-1")
	if err = errors.Join(err, r.Destroy("c-1")); err != nil {
		t.Fatal(err)
	}
	edited := key
	edited.ID = strings.Repeat("ab", idBytes)
	for k, want := range map[engine.Key]int{key: 0, edited: 1} {
		receipt := Receipt{Version: receiptVersion, Conversation: "c-1", Keys: []engine.Key{k}}
		receipt.Seal = must(receipt.sealOf(r))
		p, err := receipt.Verify(dir, snapshot(t, map[string][]byte{"m/sealed": mine}))
		if err != nil || len(p.Unknown) != want || p.OK() != (want == 0) {
			t.Errorf("Verify() of key %s = %+v, %v, want %d unknown", k.ID, p, err, want)
		}
	}
	// Without the list a row tells that there was such a key.
	if err := os.Remove(filepath.Join(dir, listFile)); err != nil {
		t.Fatal(err)
	}
	receipt := Receipt{Version: receiptVersion, Conversation: "c-1", Keys: []engine.Key{key}}
	for rows, want := range map[*bytes.Buffer]int{
		snapshot(t, map[string][]byte{"m/sealed": mine}):                                              1,
		snapshot(t, map[string][]byte{"m/sealed": mine, "e/1": append([]byte("\x00ks\x01"), row...)}): 0,
	} {
		if p, err := receipt.Verify(dir, rows); err != nil || len(p.Unknown) != want {
			t.Errorf("Verify() without a list = %+v, %v, want %d unknown", p, err, want)
		}
	}
}

// A receipt in which something was changed verifies nothing; of one without a seal it is said that nobody can tell.
func TestAReceiptIsSealed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	in := Receipts{Dir: filepath.Join(t.TempDir(), "receipts"), Keys: dir}
	r := open(t, dir)
	mine, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	if err != nil {
		t.Fatal(err)
	}
	seal(t, r, "c-1", "p", "words")
	key, _, err := r.KeyOf("c-1")
	if err != nil {
		t.Fatal(err)
	}
	from := []Origin{{Keys: []engine.Key{key}, Done: "split"}}
	receipt, path, err := in.Begin("c-1", []engine.Key{key}, from, time.Now())
	err = errors.Join(err, r.Destroy("c-1"), in.Finish(receipt, path, engine.Forgotten{Rows: 3}, time.Now()))
	if err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		change           func(r *Receipt)
		edited, unsealed bool
	}{
		"nothing":       {func(*Receipt) {}, false, false},
		"a fingerprint": {func(r *Receipt) { r.Keys[0].Fingerprint = strings.Repeat("0", 32) }, true, false},
		"the name":      {func(r *Receipt) { r.Conversation = "c-2" }, true, false},
		"a time":        {func(r *Receipt) { r.ForgottenAt = r.ForgottenAt.Add(-time.Hour) }, true, false},
		"the origin":    {func(r *Receipt) { r.SplitFrom = nil }, true, false},
		"a number":      {func(r *Receipt) { r.Deleted.Rows = 4 }, true, false},
		"the seal":      {func(r *Receipt) { r.Seal = "00" }, true, false},
		"no seal":       {func(r *Receipt) { r.Seal = "" }, true, false},
	} {
		got, err := ReadReceipt(path)
		if err != nil {
			t.Fatal(err)
		}
		c.change(&got)
		verify := func(got Receipt, when string) {
			p, err := got.Verify(dir, snapshot(t, map[string][]byte{"m/sealed": mine}))
			if err != nil || p.Edited != c.edited || p.Unsealed != c.unsealed || p.OK() == c.edited {
				t.Errorf("Verify() with %s changed%s = %+v, %v, want edited %v, unsealed %v", what, when, p, err,
					c.edited, c.unsealed)
			}
		}
		verify(got, "")
		answered := filepath.Join(t.TempDir(), "receipt.json")
		if err := in.Answered(got, answered, []string{"another machine"}); err != nil {
			t.Fatal(err)
		}
		if got, err = ReadReceipt(answered); err != nil {
			t.Fatal(err)
		}
		verify(got, ", once another machine has answered")
	}
}

// Of a receipt without a seal nobody can tell whether it was changed, if an older version has destroyed its key, or a
// restore has left it out. Where this version has destroyed it, the seal was removed.
func TestAReceiptWithoutASeal(t *testing.T) {
	for what, c := range map[string]struct {
		mark byte
		of   stamp
		want bool // it was removed
	}{
		"an older version": {ended, stamp{}, false}, "a restore": {keptOut, stamp{1}, false},
		"this version": {ended, stamp{1}, true},
	} {
		dir := filepath.Join(t.TempDir(), "keys")
		r := open(t, dir)
		mine, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
		if err == nil {
			err = r.files.(*directory).note(entry{c.mark, id{1}, c.of})
		}
		if err != nil {
			t.Fatal(err)
		}
		receipt := Receipt{Version: receiptVersion, Conversation: "c-1",
			Keys: []engine.Key{{ID: id{1}.String(), Fingerprint: "f"}}}
		p, err := receipt.Verify(dir, snapshot(t, map[string][]byte{"m/sealed": mine}))
		if err != nil || p.Edited != c.want || p.Unsealed == c.want {
			t.Errorf("the key was ended by %s: Verify() = %+v, %v, want edited %v", what, p, err, c.want)
		}
	}
}

// A backup from before a conversation was split from another one has its words under the other's
// key, which stays: the receipt does not call them forgotten.
func TestAReceiptOfASplitConversation(t *testing.T) {
	dir, receipts := filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "receipts")
	r, place := open(t, dir), "s/conversation/c-1\x00a\x00a"
	sealed, err := r.Seal([]byte("\x00ks\x01"), "c-1", []byte(place), []byte(`1 "words"`))
	mark, merr := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	seal(t, r, "c-2", "p", "words")
	of, _, ferr := r.KeyOf("c-1")
	key, _, kerr := r.KeyOf("c-2")
	if err := errors.Join(err, merr, ferr, kerr); err != nil {
		t.Fatal(err)
	}
	from, in := []Origin{{Keys: []engine.Key{of}, Done: "split c-2"}}, Receipts{receipts, dir}
	_, _, err = in.Begin("c-2", []engine.Key{key}, from, time.Now())
	if err = errors.Join(err, r.Destroy("c-2")); err != nil {
		t.Fatal(err)
	}
	// Interrupted, it is asked for again: by then nobody knows what it was split from.
	again, path, err := in.Begin("c-2", nil, nil, time.Now())
	if err = errors.Join(err, in.Finish(again, path, engine.Forgotten{}, time.Now())); err != nil {
		t.Fatal(err)
	}
	receipt, err := ReadReceipt(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]byte{place: sealed, "m/sealed": mark}
	verify := func(when string, want int) {
		t.Helper()
		if p, err := receipt.Verify(dir, snapshot(t, rows)); p.Before != want || p.OK() != (want == 0) || err != nil {
			t.Errorf("%s: Verify() = %+v, %v, want %d rows from before the split", when, p, err, want)
		}
	}
	verify("before the split", 1)
	done, err := r.Seal([]byte("\x00ks\x01"), "", []byte("h/split c-2"), []byte("1"))
	if err != nil {
		t.Fatal(err)
	}
	rows["h/split c-2"] = done
	verify("after it", 0)
	delete(rows, "h/split c-2")
	if err := r.Destroy("c-1"); err != nil {
		t.Fatal(err)
	}
	verify("with the other forgotten too", 0)
}

// Keys that are not those of the backup, or not all of them, verify nothing: with them
// everything in it looks closed.
func TestAReceiptNeedsTheKeysOfTheBackup(t *testing.T) {
	dir, others := filepath.Join(t.TempDir(), "keys"), filepath.Join(t.TempDir(), "keys")
	r, row := open(t, dir), "s/conversation/c-1\x00a\x00a"
	sealed, err := r.Seal([]byte("\x00ks\x01"), "c-1", []byte(row), []byte(`1 "words"`))
	mark, merr := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	seal(t, open(t, others), "c-1", "p", "secret")
	key, ok, kerr := r.KeyOf("c-1")
	if err = errors.Join(err, merr, kerr); err != nil || !ok {
		t.Fatal(ok, err)
	}
	receipt := Receipt{Conversation: "c-1", Keys: []engine.Key{key}}
	whole := map[string][]byte{row: sealed, "m/sealed": mark}
	if p, err := receipt.Verify(dir, snapshot(t, whole)); err != nil || len(p.Alive) != 1 {
		t.Errorf("Verify() = %+v, %v, want the key alive", p, err)
	}
	for name, c := range map[string]struct {
		dir  string
		rows map[string][]byte
		want error
	}{
		"keys of another node": {others, whole, ErrOthers},
		"no keys":              {filepath.Join(t.TempDir(), "none"), whole, fs.ErrNotExist},
		"a backup without":     {dir, map[string][]byte{row: sealed}, ErrOthers},
	} {
		if p, err := receipt.Verify(c.dir, snapshot(t, c.rows)); !errors.Is(err, c.want) {
			t.Errorf("%s: Verify() = %+v, %v, want %v", name, p, err, c.want)
		}
	}
	if err := os.Remove(filepath.Join(dir, key.ID)); err != nil { // lost, and not destroyed
		t.Fatal(err)
	}
	if p, err := receipt.Verify(dir, snapshot(t, whole)); !errors.Is(err, engine.ErrNoKey) ||
		!strings.Contains(err.Error(), key.ID) {
		t.Errorf("Verify() without its key = %+v, %v, want it named", p, err)
	}
}

// restore restores a backup of one directory into another.
func restore(t *testing.T, from, to string) (int, error) {
	t.Helper()
	var b bytes.Buffer
	if _, err := Backup(from, &b); err != nil {
		t.Fatal(err)
	}
	return Restore(to, &b)
}

// A later backup adds the keys that an earlier one lacks, and replaces damaged ones; it
// brings none back that was destroyed, and takes none away.
func TestKeysAreAdded(t *testing.T) {
	home := t.TempDir()
	now, old := filepath.Join(home, "now"), filepath.Join(home, "old")
	r := open(t, now)
	rows := map[string][]byte{}
	put := func(subject string) {
		key := "s/conversation/" + subject + "\x00a\x00a"
		sealed, err := r.Seal([]byte("\x00ks\x01"), subject, []byte(key), []byte("words"))
		if err != nil {
			t.Fatal(err)
		}
		rows[key] = sealed
	}
	lacking := func(dir string, want int) {
		t.Helper()
		c, err := Lacking(dir, snapshot(t, rows), func(row []byte) string { return engine.OwnerOf(row).Key() })
		if c.Rows != want || c.Keys != want || len(c.Conversations) != want || err != nil {
			t.Errorf("Lacking() = %+v, %v, want %d rows of as many keys", c, err, want)
		}
	}
	mark, err := r.Seal(nil, "", []byte("m/sealed"), []byte("kehai 3 {}"))
	if err != nil {
		t.Fatal(err)
	}
	rows["m/sealed"] = mark
	put("a")
	put("b")
	if n, err := restore(t, now, old); n != 3 || err != nil {
		t.Fatalf("Restore() = %d, %v, want three keys", n, err)
	}
	put("c")
	lacking(now, 0)
	lacking(old, 1)
	other := open(t, old)
	lost := nameOf(rows["s/conversation/a\x00a\x00a"][4:])
	if err := errors.Join(other.Destroy("b"), other.Ready("own"),
		os.Truncate(filepath.Join(old, lost), 0)); err != nil {
		t.Fatal(err)
	}
	lacking(old, 3)
	if n, err := restore(t, now, old); n != 2 || err != nil {
		t.Errorf("Restore() of more keys = %d, %v, want the empty one and the new one", n, err)
	}
	lacking(old, 1) // what was forgotten
	if n, err := Inspect(old); n != 4 || err != nil {
		t.Errorf("Inspect() = %d, %v, want the node's key, a, c and its own", n, err)
	}
	if err := r.Ready("own"); err != nil {
		t.Fatal(err)
	}
	another := filepath.Join(home, "another")
	seal(t, open(t, another), "a", "p", "other")
	for _, dir := range []string{old, another} { // another key for the same, and another node
		if n, err := restore(t, now, dir); n != 0 || !errors.Is(err, ErrKeys) {
			t.Errorf("Restore() into %s = %d, %v, want %v", dir, n, err, ErrKeys)
		}
	}
	if _, err := Lacking(another, snapshot(t, rows), func([]byte) string { return "" }); err == nil {
		t.Error("Lacking() with the keys of another node = nil")
	}
	if left, _ := filepath.Glob(filepath.Join(home, "*"+unfinished)); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

// A backup of the keys that is cut, wherever, or in which a byte has changed, restores none: the key of the store
// comes last and has no check of its own. Those of before there was a checksum are restored.
func TestABackupOfKeysIsWhole(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	row := seal(t, open(t, dir), "a", "p", "secret")
	text := []byte(strings.Repeat("0123456789abcdef", 4) + "\n")
	write(t, filepath.Join(dir, StoreKey), text)
	whole := backedUp(t, dir)
	fails := func(what string, raw []byte) {
		t.Helper()
		to := filepath.Join(t.TempDir(), "keys")
		if n, err := Restore(to, bytes.NewReader(raw)); !errors.Is(err, ErrBackup) {
			t.Errorf("Restore() of a backup %s = %d, %v, want %v", what, n, err, ErrBackup)
		}
	}
	at, sum := bytes.Index(whole, text), bytes.Index(whole, []byte(sumFile+"\x00"))
	for _, n := range []int{at - 512, at, at + 512, sum + 512} {
		fails(fmt.Sprintf("of which %d bytes are left", n), whole[:n])
	}
	for _, n := range []int{0, 17, len(text) - 1} {
		bad := slices.Clone(whole)
		bad[at+n] ^= 1
		fails(fmt.Sprintf("with a changed byte %d of the key of the store", n), bad)
	}

	var b bytes.Buffer
	old := archive{tar.NewWriter(&b), sha256.New()}
	list := slices.Concat([]byte(oldHead), []byte{made}, row[:idBytes], []byte{ended}, make([]byte, idBytes))
	err := old.add(listFile, list)
	for _, name := range []string{nameOf(row), nodeFile, StoreKey} {
		err = errors.Join(err, old.add(name, read(t, filepath.Join(dir, name))))
	}
	to := filepath.Join(t.TempDir(), "keys")
	n, rerr := Restore(to, &b)
	if err = errors.Join(err, old.to.Close(), rerr); err != nil || n != 2 {
		t.Errorf("Restore() of a backup without a checksum = %d, %v, want two keys", n, err)
	}
	want(t, open(t, to), "p", row, "secret")
}

// The key of the store is put in the place of one that does not open it, and only if it does itself.
func TestTheKeyOfTheStoreIsRestored(t *testing.T) {
	from := filepath.Join(t.TempDir(), "keys")
	seal(t, open(t, from), "a", "p", "secret")
	fits := func(raw []byte) (bool, error) { return string(raw) == "good", nil }
	for _, c := range []struct {
		there, copied string // contents of the file; "": none
		fits          func([]byte) (bool, error)
		want          string
		unfit         bool
	}{
		{"bad", "good", fits, "good", false},
		{"", "good", fits, "good", false},
		{"bad", "old", fits, "bad", true},
		{"", "old", fits, "", true},
		{"bad", "", fits, "bad", false},
		{"newer", "good", nil, "newer", false},
		{"", "good", nil, "good", false},
	} {
		dir := filepath.Join(t.TempDir(), "keys")
		if err := os.RemoveAll(filepath.Join(from, StoreKey)); err != nil {
			t.Fatal(err)
		}
		if _, err := restore(t, from, dir); err != nil {
			t.Fatal(err)
		}
		if c.copied != "" {
			write(t, filepath.Join(from, StoreKey), []byte(c.copied))
		}
		if c.there != "" {
			write(t, filepath.Join(dir, StoreKey), []byte(c.there))
		}
		got, err := Taking{StoreFits: c.fits}.Restore(dir, bytes.NewReader(backedUp(t, from)))
		now, _, rerr := ReadStoreKey(dir)
		if err = errors.Join(err, rerr); err != nil || string(now) != c.want || got.Unfit != c.unfit {
			t.Errorf("Restore() of %q over %q = %+v, %v, and it is %q, want %q, left out %v", c.copied, c.there, got,
				err, now, c.want, c.unfit)
		}
	}
}

// A receipt keeps no key out whose end has not begun, as where a crash came first. It is withdrawn where none has, and
// one that somebody has changed does not become a sealed one.
func TestAReceiptBeforeTheEndOfItsKeys(t *testing.T) {
	in := Receipts{Dir: filepath.Join(t.TempDir(), "receipts"), Keys: filepath.Join(t.TempDir(), "keys")}
	r := open(t, in.Keys)
	var keys []engine.Key
	for _, c := range []string{"c-1", "c-2"} {
		seal(t, r, c, "p", "words")
		key, _, err := r.KeyOf(c)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key)
	}
	var path string
	begin := func(keys ...engine.Key) {
		t.Helper()
		var err error
		if _, path, err = in.Begin("c-1", keys, nil, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	named := func(when string, want ...engine.Key) {
		t.Helper()
		if got, err := Destroyed(in.Dir); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: Destroyed() = %v, %v, want %v", when, got, err, want)
		}
		for path, r := range must(receiptsIn(in.Dir)) {
			if seal, err := r.sealOf(Reader(in.Keys)); err != nil || r.Seal != seal {
				t.Errorf("%s: the receipt has the seal %s, %v, want %s", when, r.Seal, err, seal)
			}
			_ = path
		}
	}
	begin(keys...)
	begin(keys...) // again, after a crash
	named("begun")
	if err := in.Withdraw(path); err != nil {
		t.Fatal(err)
	}
	if left := must(receiptsIn(in.Dir)); len(left) > 0 {
		t.Errorf("%v are left after Withdraw()", left)
	}
	begin(keys...)
	if err := errors.Join(in.Ends(keys[0]), in.Withdraw(path)); err != nil {
		t.Fatal(err)
	}
	named("the first has ended", keys[0])
	begin(keys[1]) // the first is gone
	named("again, after a crash", keys[0])
	begin(keys...) // the first was not destroyed yet
	named("again, after a crash before that", keys[0])
	receipt, err := ReadReceipt(path)
	if err == nil {
		err = in.Finish(receipt, path, engine.Forgotten{Rows: 1}, time.Now())
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Destroyed(in.Dir); err != nil || len(got) != 2 {
		t.Errorf("Destroyed() = %v, %v, want both once all is deleted", got, err)
	}
	begin(keys...)
	receipt = must(ReadReceipt(path))
	receipt.AskedAt = receipt.AskedAt.Add(time.Hour)
	if err := errors.Join(receipt.put(path), in.Ends(keys[0])); err != nil {
		t.Fatal(err)
	}
	if r := must(ReadReceipt(path)); len(r.Pending) != 1 || r.Seal == must(r.sealOf(Reader(in.Keys))) {
		t.Errorf("a changed receipt became the sealed %+v", r)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Where receipts cannot be written, no key is destroyed: it waits.
func TestTheEndOfAKeyWaitsForItsReceipt(t *testing.T) {
	in := Receipts{Dir: filepath.Join(t.TempDir(), "receipts"), Keys: filepath.Join(t.TempDir(), "keys")}
	r := open(t, in.Keys)
	seal(t, r, "c-1", "p", "words")
	key, _, err := r.KeyOf("c-1")
	if err != nil {
		t.Fatal(err)
	}
	_, path, err := in.Begin("c-1", []engine.Key{key}, nil, time.Now())
	aside := filepath.Join(t.TempDir(), "aside")
	if err = errors.Join(err, os.Rename(in.Keys, aside), os.WriteFile(in.Keys, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := in.Ends(key); !errors.Is(err, engine.ErrKeyAway) || len(must(ReadReceipt(path)).Pending) != 1 {
		t.Errorf("Ends() while the keys are out of reach = %v, want %v", err, engine.ErrKeyAway)
	}
	err = errors.Join(os.Remove(in.Keys), os.Rename(aside, in.Keys), os.MkdirAll(path+".tmp/x", 0o700))
	if err != nil {
		t.Fatal(err)
	}
	if text := engine.KeyAway(in.Ends(key)); !strings.Contains(text, in.Dir) {
		t.Errorf("Ends() where the receipt cannot be written tells %q, want the place", text)
	}
	if err := errors.Join(os.RemoveAll(path+".tmp"), in.Ends(key)); err != nil {
		t.Errorf("Ends() after that = %v, want nil", err)
	}
}
