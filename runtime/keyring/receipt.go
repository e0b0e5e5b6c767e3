package keyring

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/private"
)

// Receipt says what was forgotten, when, and which keys were destroyed with it. It is
// written before anything is deleted, so that it also covers an interrupted deletion.
// [Receipt.Verify] checks for itself.
type Receipt struct {
	Version      int          `json:"kehai_receipt"`
	Conversation string       `json:"conversation"`
	Keys         []engine.Key `json:"keys"`
	// Pending are those of the keys whose end has not begun: a crash may leave them to conversations that live on.
	Pending     []engine.Key      `json:"pending,omitempty"`
	AskedAt     time.Time         `json:"asked_at"`
	ForgottenAt time.Time         `json:"forgotten_at,omitzero"`
	Deleted     *engine.Forgotten `json:"deleted,omitempty"`
	// Waiting are machines of the cluster that have not yet said that they destroyed their copies of
	// the keys, and their files. They do so before they do anything else.
	Waiting []string `json:"waiting,omitempty"`
	// SplitFrom are the conversations from which this one was split.
	SplitFrom []Origin `json:"split_from,omitempty"`
	Note      string   `json:"note"`
	// Seal tells with the node's key that all the above is as it was written; "" in receipts of older versions.
	Seal string `json:"seal,omitempty"`
}

// Receipts are where receipts are kept, and where the keys are with which they are sealed.
type Receipts struct{ Dir, Keys string }

// Origin is a conversation from which another one was split. Its key opens what a backup from
// before tells of both.
type Origin struct {
	Keys []engine.Key `json:"keys"`
	Done string       `json:"done"` // the setting that is stored since all that moved is sealed anew
}

const (
	receiptVersion = 1
	// CopiedKeys is what forgetting cannot change.
	CopiedKeys = "Whoever holds a copy of the keys from before the forgetting, such as a file of kehai key backup, " +
		"can still read a backup from before."
)

// ErrReceipt marks a file that is no receipt.
var ErrReceipt = errors.New("keyring: no receipt of forgetting")

// Begin writes a receipt before a conversation is forgotten. After an
// interrupted attempt it continues with that receipt, because the keys it names may
// already be destroyed.
func (in Receipts) Begin(c string, keys []engine.Key, from []Origin, now time.Time) (Receipt, string, error) {
	r := Receipt{Version: receiptVersion, Conversation: c, Keys: slices.Clone(keys), SplitFrom: from,
		AskedAt: now.UTC().Round(0), Note: CopiedKeys}
	open, before, err := unfinishedReceipt(in.Dir, c)
	if err != nil {
		return r, "", err
	}
	for _, k := range keys {
		if !slices.Contains(before.Keys, k) || slices.Contains(before.Pending, k) {
			r.Pending = append(r.Pending, k)
		}
	}
	for _, k := range before.Keys { // one that is gone has ended, also where a crash came before that was noted
		if !slices.Contains(r.Keys, k) {
			r.Keys = append(r.Keys, k)
		}
	}
	if r.SplitFrom == nil {
		r.SplitFrom = before.SplitFrom
	}
	if len(r.Keys) == 0 {
		return r, "", nil // nothing is sealed for it
	}
	path := open
	if path == "" {
		at := r.AskedAt.Format("20060102T150405.000Z")
		path = filepath.Join(in.Dir, fmt.Sprintf("%s-%.8s.json", at, r.Keys[0].Fingerprint))
	}
	if err := private.Make(in.Dir, private.Closed); err != nil {
		return r, "", fmt.Errorf("keyring: %w", err)
	}
	if err := in.write(r, path); err != nil {
		return r, "", fmt.Errorf("%w. Nothing was deleted: forget it again then", err)
	}
	return r, path, nil
}

// Ends notes, before a key is destroyed, that receipts that name it are about to be true. The error wraps
// [engine.ErrKeyAway]: it may succeed later.
func (in Receipts) Ends(key engine.Key) error {
	all, err := receiptsIn(in.Dir)
	for path, r := range all {
		if slices.Contains(r.Pending, key) {
			err = errors.Join(err, in.change(r, path, func(r *Receipt) {
				r.Pending = slices.DeleteFunc(slices.Clone(r.Pending), func(k engine.Key) bool { return k == key })
			}))
		}
	}
	if err != nil { // which says what helps
		return fmt.Errorf("%w (%w)", err, engine.ErrKeyAway)
	}
	return nil
}

// Finish completes a receipt once the conversation is forgotten.
func (in Receipts) Finish(r Receipt, path string, sum engine.Forgotten, now time.Time) error {
	sum.Receipt = ""
	r.ForgottenAt, r.Deleted, r.Pending = now.UTC().Round(0), &sum, nil
	if err := in.write(r, path); err != nil {
		return fmt.Errorf("%w. All is deleted but for the end of the receipt: kehai forget %s adds that then", err,
			r.Conversation)
	}
	return nil
}

// Withdraw removes a receipt of which the end of no key has begun.
func (Receipts) Withdraw(path string) error {
	r, err := ReadReceipt(path)
	if err == nil && len(r.Pending) == len(r.Keys) {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("keyring: receipt: %w", err)
	}
	return nil
}

// Answered replaces the machines that were waited for by those that have still not answered.
func (in Receipts) Answered(r Receipt, path string, waiting []string) error {
	return in.change(r, path, func(r *Receipt) { r.Waiting = waiting })
}

// change writes a receipt with a change. One that was not sealed as it is stays so.
func (in Receipts) change(r Receipt, path string, change func(*Receipt)) error {
	seal, err := r.sealOf(Reader(in.Keys))
	if err != nil {
		return fmt.Errorf("keyring: receipt: %w", err)
	}
	sealed := hmac.Equal([]byte(seal), []byte(r.Seal))
	change(&r)
	if sealed {
		return in.write(r, path)
	}
	return r.put(path)
}

// Unanswered lists the finished receipts of a directory for which machines are waited for, by path.
func Unanswered(dir string) (map[string]Receipt, error) {
	all, err := receiptsIn(dir)
	maps.DeleteFunc(all, func(_ string, r Receipt) bool { return r.ForgottenAt.IsZero() || len(r.Waiting) == 0 })
	return all, err
}

func unfinishedReceipt(dir string, c string) (path string, r Receipt, err error) {
	all, err := receiptsIn(dir)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if r := all[path]; r.Conversation == c && r.ForgottenAt.IsZero() {
			return path, r, err
		}
	}
	return "", Receipt{}, err
}

// Destroyed lists the keys that the receipts in a directory name, but for those whose end has not begun.
func Destroyed(dir string) (keys []engine.Key, err error) {
	all, err := receiptsIn(dir)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		for _, k := range all[path].Keys {
			if !slices.Contains(all[path].Pending, k) {
				keys = append(keys, k)
			}
		}
	}
	return keys, err
}

// receiptsIn reads the receipts in a directory, by path; it passes over what is none. A missing directory has none.
func receiptsIn(dir string) (map[string]Receipt, error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("keyring: receipts: %w", err)
	}
	all := map[string]Receipt{}
	for _, f := range files {
		path := filepath.Join(dir, f.Name())
		if filepath.Ext(path) != ".json" || !f.Type().IsRegular() {
			continue
		}
		if r, err := ReadReceipt(path); err == nil {
			all[path] = r
		}
	}
	return all, nil
}

func (in Receipts) write(r Receipt, path string) (err error) {
	if r.Seal, err = r.sealOf(Reader(in.Keys)); err != nil {
		return fmt.Errorf("keyring: receipt: %w", err)
	}
	return r.put(path)
}

func (r Receipt) put(path string) error {
	raw, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("keyring: receipt: %w", err)
	}
	if err := private.Write(path, append(raw, '\n')); err != nil {
		return fmt.Errorf("keyring: receipt: %w%s", err, help(err))
	}
	return nil
}

// sealOf is the seal that the receipt should have, "" without keys.
func (r Receipt) sealOf(ring *Ring) (string, error) {
	secret, ok, err := ring.Derive("", "kehai receipts")
	if err != nil || !ok {
		return "", err
	}
	r.Seal = ""
	raw, err := json.Marshal(r)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, secret)
	mac.Write(raw)
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// maxReceipt is the longest receipt, in bytes.
const maxReceipt = 1 << 20

// ReadReceipt reads a receipt; the error wraps [ErrReceipt] if the file is not one.
func ReadReceipt(path string) (r Receipt, err error) {
	f, err := os.Open(path)
	if err != nil {
		return Receipt{}, fmt.Errorf("keyring: %w", err)
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxReceipt))
	if err != nil {
		return Receipt{}, fmt.Errorf("keyring: %w", err)
	}
	if json.Unmarshal(raw, &r) != nil || r.Version != receiptVersion || r.Conversation == "" || len(r.Keys) == 0 {
		return Receipt{}, fmt.Errorf("%w: %s: want a file that kehai forget has written", ErrReceipt, path)
	}
	for _, k := range r.Keys {
		if raw, err := hex.DecodeString(k.ID); err != nil || len(raw) != idBytes || k.Fingerprint == "" {
			return Receipt{}, fmt.Errorf("%w: %s: it names no key", ErrReceipt, path)
		}
	}
	return r, nil
}

// Proof is what is left of a conversation that was forgotten.
type Proof struct {
	Alive []engine.Key // keys of the receipt that still exist
	// Unknown are keys of the receipt that neither the list of the keys nor a row of the backup has: the receipt
	// is of another data directory, or was edited. A machine of a cluster may never have had them.
	Unknown []engine.Key
	// Rows sealed for the conversation: rows that can no longer be opened, and rows written
	// since under another key.
	Closed, Since int
	Open          int // rows sealed for the conversation that a key of Alive opens
	Plain         int // rows that should be sealed but are not: they may be about anybody
	// Before are rows that can be read of a conversation from which this one was split, in a
	// backup from before that was done: they may be about this one.
	Before int
	// Edited reports that the receipt is not as it was written, or is of a later version; Unsealed, that nobody can
	// tell, as an older one has written it. Where the list tells that this one has destroyed its keys, it had a seal.
	Edited, Unsealed bool
}

// OK reports whether nothing of what was forgotten can be read.
func (p Proof) OK() bool {
	return len(p.Alive) == 0 && len(p.Unknown) == 0 && p.Plain == 0 && p.Before == 0 && !p.Edited
}

// ErrOthers answers a Verify with keys that are not those of the backup, or not all.
var ErrOthers = errors.New("keyring: these keys tell nothing about the backup: give --data the directory it is of")

// Verify checks whether what was forgotten can be read in a backup with the keys of a
// directory. It reads the backup to its end and changes nothing, even while a process
// uses the keys. It fails with [ErrOthers] if the backup was sealed with other keys, as
// those then open nothing in it.
func (r Receipt) Verify(dir string, backup io.Reader) (p Proof, err error) {
	d := &directory{path: dir}
	if err := d.all(); err != nil {
		return p, err
	}
	ring := newRing(d, strings.NewReader("")) // nothing is sealed
	if p.Edited, p.Unsealed, err = r.changed(ring, d.list); err != nil {
		return p, err
	}
	ids := map[id]bool{} // whether the key is that of the receipt, still
	for _, k := range r.Keys {
		of, _ := idOf(k.ID)
		ring.disk.Lock()
		now, err := ring.load(of)
		ring.disk.Unlock()
		if err != nil && !errors.Is(err, engine.ErrNoKey) {
			return p, err
		}
		if ids[of] = err == nil && now.print == k.Fingerprint; ids[of] {
			p.Alive = append(p.Alive, k)
		}
	}
	never := r.unlisted(d.list)
	origins := make([]origin, len(r.SplitFrom))
	for i, o := range r.SplitFrom {
		origins[i] = origin{Origin: o, done: engine.SettingKey(o.Done)}
	}
	fit := false
	err = engine.ReadSnapshot(backup, func(ops []engine.Op) error {
		for _, op := range ops {
			tells, err := engine.KeysFit(ring, op.Key, op.Value)
			if err != nil {
				return fmt.Errorf("%w: %w", ErrOthers, err)
			}
			fit = fit || tells
			p.count(ring, ids, op)
			if sealed, _ := engine.SealedForm(op.Key, op.Value); len(never) > 0 && len(sealed) >= idBytes {
				delete(never, id(sealed[:idBytes]))
			}
			for i := range origins {
				origins[i].count(ring, op)
			}
		}
		return nil
	})
	for _, o := range origins {
		if !o.over {
			p.Before += o.rows
		}
	}
	p.Unknown = slices.SortedFunc(maps.Values(never), func(a, b engine.Key) int { return strings.Compare(a.ID, b.ID) })
	if err == nil && !fit && p.Plain == 0 {
		err = fmt.Errorf("%w: it does not say with which keys it was sealed", ErrOthers)
	}
	return p, err
}

// changed reports whether the receipt is not as it was written; unsealed, that nobody can tell.
func (r Receipt) changed(ring *Ring, l list) (edited, unsealed bool, err error) {
	seal, err := r.sealOf(ring)
	if err != nil {
		return false, false, err
	}
	if r.Seal != "" {
		return !hmac.Equal([]byte(seal), []byte(r.Seal)), false, nil
	}
	had := slices.ContainsFunc(r.Keys, func(k engine.Key) bool {
		of, _ := idOf(k.ID)
		return l.witnessed(of)
	})
	return had, !had, nil
}

// unlisted are the keys of a receipt of which a list does not tell.
func (r Receipt) unlisted(l list) map[id]engine.Key {
	never := map[id]engine.Key{}
	for _, k := range r.Keys {
		of, _ := idOf(k.ID)
		if _, gone := l.ended[of]; !gone && !l.wants(of) {
			never[of] = k
		}
	}
	return never
}

// origin counts what a backup has of an [Origin].
type origin struct {
	Origin
	done []byte
	over bool // the split was over
	rows int  // that can be read
}

func (o *origin) count(ring *Ring, op engine.Op) {
	o.over = o.over || bytes.Equal(op.Key, o.done)
	sealed, _ := engine.SealedForm(op.Key, op.Value)
	if o.over || len(sealed) < idBytes {
		return
	}
	of := id(sealed[:idBytes]).String()
	if slices.ContainsFunc(o.Keys, func(k engine.Key) bool { return k.ID == of }) {
		if _, err := engine.OpenRow(ring, op.Key, op.Value); err == nil {
			o.rows++
		}
	}
}

// count takes in a row of the backup. ids are the keys of the receipt.
func (p *Proof) count(ring *Ring, ids map[id]bool, op engine.Op) {
	sealed, private := engine.SealedForm(op.Key, op.Value)
	switch {
	case !private:
	case sealed == nil:
		p.Plain++
	case len(sealed) < idBytes:
	default:
		alive, of := ids[id(sealed[:idBytes])]
		if !of {
			return
		}
		switch _, err := engine.OpenRow(ring, op.Key, op.Value); {
		case err != nil:
			p.Closed++
		case alive:
			p.Open++
		default:
			p.Since++
		}
	}
}
