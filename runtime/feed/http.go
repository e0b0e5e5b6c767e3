package feed

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// Token reads the token in a file, or makes one and writes it there, readable
// for its owner only.
func Token(path string) (string, error) {
	raw, err := os.ReadFile(path)
	switch {
	case err == nil && len(strings.TrimSpace(string(raw))) >= 16:
		return strings.TrimSpace(string(raw)), nil
	case err == nil:
		return "", fmt.Errorf("feed: token in %s is too short: delete the file, and the next start makes a new one", path)
	case !errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("feed: token: %w", err)
	}
	var b [16]byte
	rand.Read(b[:]) // never fails
	token := hex.EncodeToString(b[:])
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("feed: token: %w", err)
	}
	if err := os.WriteFile(path, []byte(token+"\n"), 0o600); err != nil {
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
		if !ok || !equal(token, s.o.Token) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			write(w, http.StatusUnauthorized, result{Errors: []reply{{Code: "token", Error: "feed: want the header Authorization: Bearer TOKEN, with the token in the file feed.token of the data directory"}}})
			return
		}
		res, err := s.post(r.URL.Query().Get("session"), http.MaxBytesReader(w, r.Body, maxBody))
		var large *http.MaxBytesError
		switch {
		case errors.As(err, &large):
			res.Errors = append(res.Errors, reply{Code: CodeLong, Error: fmt.Sprintf("feed: a request is longer than %d bytes: send fewer lines at once", maxBody)})
			write(w, http.StatusRequestEntityTooLarge, res)
		case err != nil:
			return // the client went away
		case res.Taken == 0:
			if res.Errors == nil {
				res.Errors = []reply{{Code: CodeJSON, Error: "feed: the request has no lines"}}
			}
			write(w, http.StatusBadRequest, res)
		default:
			write(w, http.StatusOK, res)
		}
	})
	return mux
}

// post takes the lines of one request. Requests wait for each other: the lines
// of a session have an order.
func (s *Server) post(name string, body io.Reader) (res result, err error) {
	s.posts.Lock()
	defer s.posts.Unlock()
	if name = "http-" + name; s.last.name != name {
		s.last = session{name: name}
	}
	for in := newLines(body); ; {
		text, long, err := in.next()
		switch {
		case errors.Is(err, io.EOF):
			return res, nil
		case err != nil:
			return res, err
		}
		r, _ := s.take(&s.last, text, long)
		if r.OK {
			res.Taken++
		} else if r.Line = in.n; len(res.Errors) < maxErrors {
			res.Errors = append(res.Errors, r)
		}
	}
}

func write(w http.ResponseWriter, status int, res result) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(res) // an error is the client going away
}

func equal(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
