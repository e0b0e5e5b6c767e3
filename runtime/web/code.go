package web

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
)

// Codes stand in the addresses that Kehai prints. An address is seen by more than whoever
// opens it: terminals, histories and lists of processes have it. So it holds no key: the
// page changes its code for a key of its own, once.

const (
	codeAge  = 10 * time.Minute
	maxCodes = 64 // that wait; a further one makes the oldest void
)

// errCode marks a code that opens nothing.
var errCode = errors.New("web: no such code")

// opened is what a person reads whose address opens nothing.
const opened = "This address opens the page once, within ten minutes, and only for the Kehai that printed it: " +
	"run kehai page for another one. If it was not you who opened it, run kehai page --revoke all first."

// code is one that waits, with the key that it becomes. None outlives the process.
type code struct {
	hash string
	made time.Time
	key  control.PageKey
}

// codeHash is what is kept of a code.
func codeHash(text string) string {
	sum := sha256.Sum256([]byte("kehai code\x00" + text))
	return hex.EncodeToString(sum[:])
}

func (c code) holds(now time.Time) bool {
	return now.Before(c.made.Add(codeAge)) && !now.Before(c.made.Add(-codeAge)) // a clock that was set back
}

// code returns one that becomes a key.
func (s *Sessions) code(k control.PageKey) string {
	text, now := randomHex(), s.now()
	s.void(func(c code) bool { return !c.holds(now) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = append(s.codes, code{codeHash(text), now, k})
	s.codes = s.codes[max(0, len(s.codes)-maxCodes):]
	return text
}

// void makes codes void.
func (s *Sessions) void(which func(code) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes = slices.DeleteFunc(s.codes, which)
}

// redeem makes the key of a code, which is void then unless the key could not be kept. The
// error of a void one is errCode.
func (s *Sessions) redeem(text string) (control.NewPageKey, error) {
	c, ok := s.take(codeHash(text))
	if !ok {
		return control.NewPageKey{}, errCode
	}
	k := c.key
	k.Used = true
	made, err := s.add(k)
	if err != nil {
		s.mu.Lock()
		s.codes = append(s.codes, c)
		s.mu.Unlock()
	}
	return made, err
}

func (s *Sessions) take(hash string) (code, bool) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.codes, func(c code) bool { return private.SameSecret(c.hash, hash) && c.holds(now) })
	if i < 0 {
		return code{}, false
	}
	c := s.codes[i]
	s.codes = slices.Delete(s.codes, i, i+1)
	return c, true
}

// URL opens the page in a browser, once and within ten minutes: another one each time. Its
// fragment, which browsers do not send, is a code, or the host's own key: print it for the
// person who asked for it and log it nowhere.
func (s *Server) URL() string {
	if s.sessions == nil {
		return s.address("/", "t", s.token)
	}
	return s.address("/", "c", s.sessions.code(control.PageKey{Role: control.RoleOwner}))
}

// GuestURL is [Server.URL] for a guest of a conversation. The error is [control.ErrNoPage]
// where the host gave the only key.
func (s *Server) GuestURL(of messages.ConversationID) (string, error) {
	if s.sessions == nil || of == "" {
		return "", control.ErrNoPage
	}
	return s.address("/chat", "c", s.sessions.code(control.PageKey{Role: control.RoleGuest, Conversation: of})), nil
}

func (s *Server) address(path, name, secret string) string {
	return "http://" + s.Addr() + path + "#" + url.Values{name: {secret}}.Encode()
}

// enter changes a code for a key.
func (s *Server) enter(w http.ResponseWriter, r *http.Request) {
	text, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Code ")
	k, err := control.NewPageKey{}, errCode
	if ok && s.sessions != nil {
		k, err = s.sessions.redeem(text)
	}
	switch {
	case errors.Is(err, errCode):
		w.Header().Set("WWW-Authenticate", "Code")
		http.Error(w, opened, http.StatusUnauthorized)
	case err != nil:
		s.opts.Log.Warn().Err(err).Msg("page_key_failed")
		http.Error(w, "Kehai could not keep a key for this page: kehai doctor says why. Then load it again.",
			http.StatusServiceUnavailable)
	default:
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(k)
	}
}
