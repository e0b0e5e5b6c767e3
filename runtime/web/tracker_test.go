package web

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Only the files of the known package are served and copied: they run where the key is.
func TestTrackerIsThatOfThePackage(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, &host{}, func(s *Server) {
		s.opts.Tracker = Tracker(dir)
		s.http.Handler = s.routes()
	})
	for path, content := range map[string]string{"face_mesh.js": "steal(token)", "other.js": "alert(1)"} {
		if err := os.WriteFile(filepath.Join(dir, path), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if resp, body := do(t, request(t, s, "/tracker/"+path)); resp.StatusCode != http.StatusNotFound ||
			strings.Contains(body, content) || !strings.Contains(body, "kehai focus camera") {
			t.Errorf("GET /tracker/%s = %d %q, want 404 and what to do", path, resp.StatusCode, body)
		}
	}
	for _, from := range []Tracker{"", Tracker(dir), Tracker(filepath.Join(dir, "nothing"))} {
		to := TrackerIn(t.TempDir())
		if err := to.Install(from); !errors.Is(err, ErrTracker) || to.Check() == nil {
			t.Errorf("Install(%s) = %v, want ErrTracker and nothing that is served", from, err)
		}
	}
	if resp, _ := do(t, request(t, s, "/tracker/..%2fpage.sessions")); resp.StatusCode != http.StatusNotFound {
		t.Errorf("a path out of the folder is answered with %d, want 404", resp.StatusCode)
	}
}

// TestATrackersFilesAreBounded: what is larger than it should be, or no plain file, is not read.
func TestATrackersFilesAreBounded(t *testing.T) {
	dir := t.TempDir()
	f := trackerFiles[0]
	path := filepath.Join(dir, f.name)
	for what, make := range map[string]func() error{
		"a file of a terabyte": func() error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 1<<40))
		},
		"a pipe":            func() error { return syscall.Mkfifo(path, 0o600) },
		"an endless device": func() error { return os.Symlink("/dev/zero", path) },
		"a folder":          func() error { return os.Mkdir(path, 0o700) },
		"another of its size": func() error {
			return os.WriteFile(path, bytes.Repeat([]byte("x"), int(f.size)), 0o600)
		},
	} {
		if err := make(); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		for of, err := range map[string]error{"Check": Tracker(dir).Check(),
			"Install": TrackerIn(t.TempDir()).Install(Tracker(dir))} {
			if !errors.Is(err, ErrTracker) || !strings.Contains(err.Error(), TrackerPackage) {
				t.Errorf("%s of %s = %v, want that it is not the tracker's", of, what, err)
			}
		}
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("%s was read for %v", what, took)
		}
		if err := os.RemoveAll(path); err != nil {
			t.Fatal(err)
		}
	}
}

// What the tracker needs is allowed on its page alone.
func TestOnlyTheCameraPageRunsATracker(t *testing.T) {
	s := serve(t, &host{})
	for path, want := range map[string]bool{"/camera": true, "/": false, "/chat": false, "/camera.js": false} {
		resp, _ := do(t, request(t, s, path))
		policy := resp.Header.Get("Content-Security-Policy")
		if strings.Contains(policy, "unsafe-eval") != want || !strings.Contains(policy, "connect-src 'self';") ||
			!strings.HasPrefix(policy, "default-src 'none'; script-src 'self'") {
			t.Errorf("GET %s has the policy %s, want scripts of texts: %v", path, policy, want)
		}
	}
}

func TestFacesReachTheHost(t *testing.T) {
	got := ""
	take := func(w http.ResponseWriter, r *http.Request) {
		raw, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got = r.URL.Query().Get("session") + " " + string(raw)
	}
	for _, c := range []struct {
		name  string
		faces http.HandlerFunc
		token bool
		want  int
	}{
		{"without a token", take, false, http.StatusUnauthorized},
		{"while attention is not judged", nil, true, http.StatusNotFound},
		{"with both", take, true, http.StatusOK},
	} {
		s := serve(t, &host{}, func(s *Server) { s.opts.Faces = c.faces })
		r := request(t, s, "/faces?session=7")
		r.Method, r.Body = http.MethodPost, io.NopCloser(strings.NewReader(`{"at_ms":1,"points":[]}`))
		if !c.token {
			r.Header.Del("Authorization")
		}
		if resp, _ := do(t, r); resp.StatusCode != c.want || c.want != http.StatusOK && got != "" {
			t.Errorf("POST /faces %s = %d and handed on %q, want %d", c.name, resp.StatusCode, got, c.want)
		}
	}
	if got != `7 {"at_ms":1,"points":[]}` {
		t.Errorf("the host got %q, want the line and its session", got)
	}
}
