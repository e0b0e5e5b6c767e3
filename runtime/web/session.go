package web

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
)

// How long a key of the page holds, and one of a meter, which nobody is there to renew.
const (
	sessionAge = 30 * 24 * time.Hour
	meterAge   = 365 * 24 * time.Hour
)

func ageOf(r control.PageRole) time.Duration {
	if r == control.RoleMeter {
		return meterAge
	}
	return sessionAge
}

// Sessions are the keys of the page, in a file that nobody else may read. It has hashes of
// the keys, so that whoever reads it, or a backup of it, cannot open the page. What is changed
// in the file counts at once, also for a server that runs. A file that others may change
// counts as empty. One Sessions of a process changes a file; its methods may be called
// concurrently.
type Sessions struct {
	path string // "" keeps them in memory
	now  func() time.Time

	mu    sync.Mutex
	seen  fs.FileInfo // the file as it was read last
	list  []session
	codes []code // never in the file
}

// session is a key as it is kept.
type session struct {
	control.PageKey
	Hash string `json:"sha256"`
}

// NewSessions returns the keys in a file, which need not be there. path "" keeps them in
// memory. now is nil for time.Now.
func NewSessions(path string, now func() time.Time) *Sessions {
	if now == nil {
		now = time.Now
	}
	return &Sessions{path: path, now: now}
}

// refresh reads the file if it is another one than before. The caller holds mu.
func (s *Sessions) refresh() {
	if s.path == "" {
		return
	}
	info, err := os.Lstat(s.path)
	if err == nil && s.seen != nil && os.SameFile(info, s.seen) && info.ModTime().Equal(s.seen.ModTime()) &&
		info.Mode() == s.seen.Mode() {
		return
	}
	s.list, s.seen = nil, nil
	if err != nil || private.CheckFile(s.path) != nil {
		return
	}
	if raw, err := os.ReadFile(s.path); err == nil && json.Unmarshal(raw, &s.list) == nil {
		s.seen = info
	}
}

// edit changes the list, without those that are over, and keeps it.
func (s *Sessions) edit(change func([]session) ([]session, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	list, err := change(slices.DeleteFunc(slices.Clone(s.list), func(k session) bool { return !s.holds(k) }))
	if err != nil {
		return err
	}
	if s.path != "" {
		raw, err := json.MarshalIndent(list, "", "  ")
		if err == nil {
			err = private.Write(s.path, append(raw, '\n'))
		}
		if err != nil {
			return fmt.Errorf("web: keys of the page: %w", err)
		}
		s.seen = nil
	}
	s.list = list
	return nil
}

func (s *Sessions) holds(k session) bool {
	now := s.now()
	return now.Before(k.Ends.Time) && !now.Before(k.Made.Add(-ageOf(k.Role))) // a clock that was set back far
}

// hashOf is what is kept of a key. A meter's is none that opens the page: versions that know of
// no meters take every key for its owner's that they find.
func hashOf(r control.PageRole, key string) string {
	kind := "page"
	if r == control.RoleMeter {
		kind = "meter"
	}
	sum := sha256.Sum256([]byte("kehai " + kind + "\x00" + key))
	return hex.EncodeToString(sum[:])
}

// keyID names a key in lists. A page makes that of its own key itself, from the same hash.
func keyID(hash string) string { return "k-" + hash[:8] }

// Make makes a key for a program.
func (s *Sessions) Make(role control.PageRole) (control.NewPageKey, error) {
	return s.add(control.PageKey{Role: role})
}

func (s *Sessions) add(k control.PageKey) (control.NewPageKey, error) {
	key := randomHex()
	now := s.now()
	hash := hashOf(k.Role, key)
	k.ID, k.Made, k.Ends = keyID(hash), control.Stamp{Time: now}, control.Stamp{Time: now.Add(ageOf(k.Role))}
	err := s.edit(func(list []session) ([]session, error) { return append(list, session{k, hash}), nil })
	return control.NewPageKey{PageKey: k, Key: key}, err
}

// tidy drops the keys that older versions made at each start, if they were not used.
func (s *Sessions) tidy() error {
	unused := func(k session) bool { return k.Start && !k.Used }
	s.mu.Lock()
	s.refresh()
	some := slices.ContainsFunc(s.list, unused)
	s.mu.Unlock()
	if !some {
		return nil
	}
	return s.edit(func(list []session) ([]session, error) { return slices.DeleteFunc(list, unused), nil })
}

// adopt takes over the key that an older version kept as it is, and deletes its file.
func (s *Sessions) adopt(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && private.CheckFile(path) == nil {
		raw, failed := os.ReadFile(path)
		key, made := string(bytes.TrimSpace(raw)), control.Stamp{Time: info.ModTime()}
		if err = failed; err == nil && len(key) >= 32 {
			k := session{control.PageKey{Role: control.RoleOwner, Made: made,
				Ends: control.Stamp{Time: made.Add(sessionAge)}, Used: true}, hashOf(control.RoleOwner, key)}
			k.ID = keyID(k.Hash)
			err = s.edit(func(list []session) ([]session, error) {
				if s.holds(k) && !slices.ContainsFunc(list, func(old session) bool { return old.Hash == k.Hash }) {
					list = append(list, k)
				}
				return list, nil
			})
		}
	}
	if err == nil {
		err = os.Remove(path)
	}
	if err != nil {
		return fmt.Errorf("web: the key of an older version: %w", err)
	}
	return nil
}

// find returns what a key opens, without counting it as used.
func (s *Sessions) find(key string) (control.PageKey, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	for _, k := range s.list {
		if private.SameSecret(hashOf(k.Role, key), k.Hash) && s.holds(k) {
			return k.PageKey, true
		}
	}
	return control.PageKey{}, false
}

// admit returns what a key opens. One that was used outlives the process that made it.
func (s *Sessions) admit(key string) (control.PageKey, bool) {
	k, ok := s.find(key)
	if ok && !k.Used {
		_ = s.edit(func(list []session) ([]session, error) { // else it ends with this process
			for i := range list {
				list[i].Used = list[i].Used || list[i].ID == k.ID
			}
			return list, nil
		})
	}
	return k, ok
}

// List returns the keys that hold, the oldest first.
func (s *Sessions) List() []control.PageKey {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	list := []control.PageKey{}
	for _, k := range s.list {
		if s.holds(k) {
			list = append(list, k.PageKey)
		}
	}
	return list
}

// AllKeys revokes every key.
const AllKeys = "all"

// Revoke makes a key void at once, and [AllKeys] also the addresses that wait to be opened.
// The error wraps [control.ErrNoKey].
func (s *Sessions) Revoke(id string) error {
	if id == AllKeys {
		s.void(func(code) bool { return true })
	}
	return s.edit(func(list []session) ([]session, error) {
		left := slices.DeleteFunc(list, func(k session) bool { return id == AllKeys || k.ID == id })
		if id != AllKeys && len(left) == len(list) {
			return nil, fmt.Errorf("%w: %q", control.ErrNoKey, id)
		}
		return left, nil
	})
}

// Forget makes the keys of guests of conversations void, which must not outlive them.
func (s *Sessions) Forget(list []messages.ConversationID) error {
	of := func(k control.PageKey) bool { return k.Conversation != "" && slices.Contains(list, k.Conversation) }
	s.void(func(c code) bool { return of(c.key) })
	if !slices.ContainsFunc(s.List(), of) {
		return nil
	}
	return s.edit(func(keys []session) ([]session, error) {
		return slices.DeleteFunc(keys, func(k session) bool { return of(k.PageKey) }), nil
	})
}

// open takes over what an older version left.
func (s *Server) open() error {
	if s.opts.Token != "" {
		s.token = s.opts.Token
		return nil
	}
	s.sessions = s.opts.Sessions
	if s.sessions == nil {
		s.sessions = NewSessions("", s.opts.Now)
	}
	if s.sessions.path == "" {
		return nil
	}
	if err := s.sessions.adopt(filepath.Join(filepath.Dir(s.sessions.path), "page.token")); err != nil {
		return err
	}
	return s.sessions.tidy()
}

// visitor is the sender of a request.
type visitor struct {
	control.PageKey
	token string
}

type visitorKey struct{}

// visitorOf returns the sender of a request; before the token was checked, nobody.
func visitorOf(r *http.Request) visitor {
	v, _ := r.Context().Value(visitorKey{}).(visitor)
	return v
}

// admit returns who a request comes from: programs send their key as it is, pages sealed.
func (s *Server) admit(r *http.Request) (visitor, bool) {
	v, ok := s.opens(r)
	if ok {
		trusted(r.Context())
	}
	return v, ok
}

func (s *Server) opens(r *http.Request) (visitor, bool) {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		token = s.unseal(r)
	}
	if token == "" {
		return visitor{}, false
	}
	if s.sessions == nil {
		return visitor{control.PageKey{Role: control.RoleOwner}, token}, private.SameSecret(token, s.token)
	}
	k, ok := s.sessions.admit(token)
	return visitor{k, token}, ok
}

// with returns the request with its sender.
func with(r *http.Request, v visitor) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), visitorKey{}, v))
}

// stays reports whether the key of an open stream still holds.
func (s *Server) stays(r *http.Request) bool {
	if s.sessions == nil {
		return true
	}
	_, ok := s.sessions.find(visitorOf(r).token)
	return ok
}
