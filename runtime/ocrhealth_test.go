package runtime_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// OCR that only fails is trouble within half a minute, and no longer once it
// reads again.
func TestFailingOCRIsTrouble(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{errors.New("himitsu"), "OCR fails with an error each time"},
		{actors.Refuse(messages.CodeNoLanguage, hardware.ErrNoLanguage), "OCR's language data is missing or damaged"},
		{actors.Refuse(messages.CodeUnavailable, hardware.ErrUnavailable), "the OCR engine cannot be started"},
		{actors.Refuse(messages.CodePane, segment.ErrPane), "the pane of the layout lies outside of the window"},
	} {
		synctest.Test(t, func(t *testing.T) {
			var with atomic.Pointer[error]
			s := testkit.Start(t, testkit.WithRuntime(runtime.WithWorkerWrapper(func(kind string,
				w actors.Worker) actors.Worker {
				if kind != messages.WorkerOCR {
					return w
				}
				return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
					if err := with.Load(); err != nil {
						return nil, *err
					}
					return w.Do(ctx, request)
				})
			})))
			s.Friend("Kentaro", "one")
			s.WantMessages("one")
			with.Store(&tt.err)
			s.Friend("Kentaro", "two")
			s.Advance(30 * time.Second)
			err := s.Runtime.Healthy()
			if err == nil || !strings.Contains(err.Error(), tt.want) ||
				!strings.Contains(err.Error(), "kehai doctor") || strings.Contains(err.Error(), "himitsu") {
				t.Errorf("Healthy() while OCR fails with %v = %v, want %q and kehai doctor", tt.err, err, tt.want)
			}
			if status := s.Runtime.Inspect(); status.Healthy || len(status.Problems) != 1 {
				t.Errorf("Inspect() = healthy %v, %q, want the one problem", status.Healthy, status.Problems)
			}
			with.Store(nil)
			s.Advance(time.Minute)
			s.WantMessages("one", "two")
			if err := s.Runtime.Healthy(); err != nil {
				t.Errorf("Healthy() once OCR reads again = %v, want nil", err)
			}
		})
	}
}

// Two failures and a reading in turns are no trouble.
func TestOCRThatFailsNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t)
		for range 3 {
			s.Inject(testkit.Fault{Worker: messages.WorkerOCR, Times: 2})
			s.Friend("Kentaro", fmt.Sprint("message ", len(s.Messages())))
			s.Advance(30 * time.Second)
			if err := s.Runtime.Healthy(); err != nil {
				t.Errorf("Healthy() after two failures = %v, want nil", err)
			}
		}
		s.WantMessages("message 0", "message 1", "message 2")
	})
}

// Language data that is no language data, with the real engine.
func TestDamagedLanguageDataIsTrouble(t *testing.T) {
	dir := t.TempDir()
	noise := make([]byte, 0, 1<<16)
	for sum := sha256.Sum256(nil); len(noise) < cap(noise); sum = sha256.Sum256(sum[:]) {
		noise = append(noise, sum[:]...)
	}
	for _, name := range []string{"jpn.traineddata", "eng.traineddata"} {
		if err := os.WriteFile(filepath.Join(dir, name), noise, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TESSDATA_PREFIX", dir)
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.Web.Enabled, cfg.Web.Addr = true, "127.0.0.1:0"
	rt := newRuntime(t, cfg)
	stop := start(t, rt)
	began := time.Now()
	v := visit(t, rt)
	for ; ; <-time.After(100 * time.Millisecond) {
		resp := v.ask(http.MethodGet, "/healthz", "")
		if body := v.read(resp); strings.Contains(body, "OCR's language data is missing or damaged") {
			if resp.StatusCode != http.StatusServiceUnavailable || strings.Contains(body, dir) {
				t.Errorf("GET /healthz = %d %s, want 503 without the folder", resp.StatusCode, body)
			}
			break
		}
		if time.Since(began) > 30*time.Second {
			t.Fatalf("OCR fails and /healthz says nothing of it after %v", time.Since(began))
		}
	}
	t.Logf("said after %v", time.Since(began).Round(time.Millisecond))
	var left *runtime.Unfinished
	if err := stop(); err != nil && !errors.As(err, &left) {
		t.Errorf("Run: %v", err)
	}
}
