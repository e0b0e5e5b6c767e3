package runtime_test

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
)

// A failed commit is said everywhere as soon as it has failed: to whoever asks the
// process, to a probe, and on a page that was open before.
func TestAFailedCommitIsSaidEverywhere(t *testing.T) {
	cfg := noWindow(t)
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	flaky := &flakyStore{}
	rt := newRuntime(t, cfg,
		runtime.WithStoreWrapper(func(s engine.Store) engine.Store { flaky.Store = s; return flaky }))
	stop := start(t, rt)
	v := visit(t, rt)
	open := v.ask(http.MethodGet, "/events", "")
	defer open.Body.Close()
	page := bufio.NewScanner(open.Body)
	shows := func(words string) {
		t.Helper()
		for page.Scan() {
			if strings.HasPrefix(page.Text(), `data: {"version":`) && strings.Contains(page.Text(), words) {
				return
			}
		}
		t.Fatalf("the page's stream ended before a status with %s: %v", words, page.Err())
	}
	shows(`"problems":[]`)

	flaky.failing.Store(true)
	if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); !errors.Is(err, errFlaky) {
		t.Fatalf("Inject = %v, want %v", err, errFlaky)
	}
	want := "the newest change could not be stored: " + errFlaky.Error()
	c := dial(t, cfg.Data)
	defer c.Close()
	if s, err := c.Status(context.Background()); err != nil || s.Healthy || !slices.Contains(s.Problems, want) {
		t.Errorf("Status() = healthy %v, %q, %v, want the problem %q", s.Healthy, s.Problems, err, want)
	}
	resp := v.ask(http.MethodGet, "/healthz", "")
	if body := v.read(resp); resp.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, want) {
		t.Errorf("GET /healthz = %d %s, want 503 with %q", resp.StatusCode, body, want)
	}
	shows(want)

	flaky.failing.Store(false)
	if err := rt.Inject(context.Background(), "notebook/a", note{1}, ""); err != nil {
		t.Fatalf("Inject = %v, want no error", err)
	}
	if code := v.code("/healthz"); code != http.StatusOK {
		t.Errorf("GET /healthz after a commit = %d, want 200", code)
	}
	shows(`"problems":[]`)
	if err := stop(); err != nil {
		t.Errorf("Run() = %v, want none", err)
	}
}
