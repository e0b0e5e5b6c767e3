package feed

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/runtime/private"
)

// Token reads the token from a file, which must be this user's alone. If there is none, it
// makes one and writes it there, readable by its owner only.
func Token(path string) (string, error) {
	raw, err := private.ReadFile(path, 1<<10)
	switch {
	case err == nil && len(strings.TrimSpace(string(raw))) >= 16:
		return strings.TrimSpace(string(raw)), nil
	case err == nil:
		return "", fmt.Errorf("feed: token in %s is too short: delete the file, and the next start makes a new one",
			path)
	case !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("feed: token: %w", err)
	}
	var b [16]byte
	rand.Read(b[:]) // never fails
	token := hex.EncodeToString(b[:])
	if err := private.Make(filepath.Dir(path), private.Unwritable); err != nil {
		return "", fmt.Errorf("feed: token: %w", err)
	}
	if err := private.Write(path, []byte(token+"\n")); err != nil {
		return "", fmt.Errorf("feed: token: %w", err)
	}
	return token, nil
}

// maxErrors is how many bad lines of one request are listed.
const maxErrors = 20

// result is the answer to a request.
type result struct {
	Taken  int     `json:"taken"`
	Errors []reply `json:"errors,omitempty"`
}

func (s *Server) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/focus", func(w http.ResponseWriter, r *http.Request) {
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || !private.SameSecret(token, s.o.Token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			write(w, http.StatusUnauthorized, result{Errors: []reply{{Code: "token",
				Error: "feed: want the header Authorization: Bearer TOKEN, " +
					"with the token in the file feed.token of the data directory"}}})
			return
		}
		s.Lines(w, r)
	})
	return mux
}

// Lines takes the lines of a request whose sender the caller has admitted, and answers as
// the feed's own port does. It may be called while the server serves.
func (s *Server) Lines(w http.ResponseWriter, r *http.Request) {
	body, err := s.read(w, r)
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errBodies):
		write(w, http.StatusServiceUnavailable, result{Errors: []reply{{Code: CodeBusy, Error: err.Error()}}})
	case errors.As(err, &large):
		write(w, http.StatusRequestEntityTooLarge, result{Errors: []reply{{Code: CodeLong,
			Error: fmt.Sprintf("feed: a request is longer than %d bytes: send fewer lines at once", maxBody)}}})
	case err == nil:
		res := s.post(r.URL.Query().Get("session"), body)
		write(w, res.status(), res)
	}
	// Any other error means that the client went away.
}

var errBodies = errors.New("feed: too many requests at once: send one after the other")

// read reads the whole request first, so that a client that sends slowly does not
// hold up the others.
func (s *Server) read(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	select {
	case s.bodies <- struct{}{}:
		defer func() { <-s.bodies }()
	default:
		return nil, errBodies
	}
	return io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
}

// post takes the lines of one request. Requests run one at a time, because the lines of a
// session are ordered.
func (s *Server) post(name string, body []byte) (res result) {
	s.posts.Lock()
	defer s.posts.Unlock()
	own := s.posted.of("http-" + name)
	for in := newLineReader(bytes.NewReader(body)); ; {
		text, long, err := in.next()
		if err != nil { // end of the lines
			break
		}
		r, _ := s.take(own, text, long)
		if r.OK {
			res.Taken++
		} else if r.Line = in.n; len(res.Errors) < maxErrors {
			res.Errors = append(res.Errors, r)
		}
	}
	if res.Taken == 0 && res.Errors == nil {
		res.Errors = []reply{{Code: CodeJSON, Error: "feed: the request has no lines"}}
	}
	return res
}

// status is 200 if a line was taken, and 503 if all lines are good but none could
// be taken now.
func (r result) status() int {
	switch {
	case r.Taken > 0:
		return http.StatusOK
	case !slices.ContainsFunc(r.Errors, func(e reply) bool { return e.Code != CodeBusy }):
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

func write(w http.ResponseWriter, status int, res result) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(res) // an error means that the client went away
}
