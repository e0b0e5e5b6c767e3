package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// asKehai is this test binary in the role of kehai; see TestMain.
func asKehai(engine string) *exec.Cmd {
	cmd := runtime.OCRCommand(engine)
	cmd.Args[0] = "kehai"
	return cmd
}

// ocrProcesses lists the children of this process that read text.
func ocrProcesses(tb testing.TB) (pids []int) {
	tb.Helper()
	lists, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		tb.Error(err)
	}
	for _, list := range lists {
		children, _ := os.ReadFile(list) // its thread may have ended
		for _, child := range strings.Fields(string(children)) {
			line, _ := os.ReadFile("/proc/" + child + "/cmdline")
			if !strings.Contains(string(line), "ocr-worker") {
				continue
			}
			pid, err := strconv.Atoi(child)
			if err != nil {
				tb.Error(err)
			}
			pids = append(pids, pid)
		}
	}
	return pids
}

// killer crashes the OCR process in the middle of some calls.
type killer struct {
	actors.Worker
	tb             testing.TB
	calls          *atomic.Int32
	killed, failed *atomic.Int32
}

func (k killer) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	var group sync.WaitGroup
	under, end := context.WithCancel(ctx)
	if n := k.calls.Add(1); n%2 == 1 && k.killed.Load() < 4 {
		group.Go(func() {
			for under.Err() == nil {
				for _, pid := range ocrProcesses(k.tb) {
					if syscall.Kill(pid, syscall.SIGSEGV) == nil {
						k.killed.Add(1)
						return
					}
				}
			}
		})
	}
	answer, err := k.Worker.Do(ctx, request)
	end()
	group.Wait()
	if err != nil {
		k.failed.Add(1)
	}
	return answer, err
}

// TestOCRProcessCrashes runs a whole kehai whose OCR processes crash while they
// read: each message is still delivered, once and in order.
func TestOCRProcessCrashes(t *testing.T) {
	want := []string{
		"おはようございます", "明日の朝は早く起きます", "駅前の本屋で会いましょう", "了解です", "電車が遅れているので少し遅刻します", "また明日",
	}
	var script strings.Builder
	for i, line := range want {
		fmt.Fprintf(&script, `{"at_ms":%d,"who":"friend","text":%q,"conversation":"Hana"}`+"\n", 200+400*i, line)
	}
	cfg := config.Default()
	cfg.Data = t.TempDir()
	path := filepath.Join(cfg.Data, "chat.jsonl")
	if err := os.WriteFile(path, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Windows[0].Script, cfg.Windows[0].Poll = path, 50_000_000
	cfg.OCR.Workers = 1
	cfg.Dedup.FirstSight = "all"
	cfg.Burst.Quiet, cfg.Burst.Cap = 100_000_000, 200_000_000

	var calls, killed, failed atomic.Int32
	killing := func(kind string, w actors.Worker) actors.Worker {
		if kind != "ocr" {
			return w
		}
		return killer{w, t, &calls, &killed, &failed}
	}
	rt, err := runtime.New(cfg, runtime.WithOCRCommand(asKehai), runtime.WithWorkerWrapper(killing))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var got []string
	err = rt.Subscribe("test", func(_ context.Context, ev runtime.Event) error {
		if d, ok := ev.Message.(messages.MessageDelivered); ok {
			for line := range strings.Lines(string(d.Text)) {
				got = append(got, strings.TrimSpace(line))
			}
			if len(got) >= len(want) {
				cancel()
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := rt.Run(ctx); err != nil {
		t.Errorf("Run() = %v, want nil", err)
	}
	if !slices.EqualFunc(got, want, text.OCREqual) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	if killed.Load() < 1 || failed.Load() < 1 {
		t.Errorf("%d processes were crashed and %d calls failed by it, want at least one of each",
			killed.Load(), failed.Load())
	}
	if left := ocrProcesses(t); len(left) > 0 {
		t.Errorf("OCR processes %v are left", left)
	}
}

// The default is a process of its own, with nothing of the environment that it has no use for.
func TestOCRProcessGetsNoSecrets(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "canary")
	cmd := asKehai(config.OCRTesseract)
	if env := strings.Join(cmd.Environ(), "\n"); strings.Contains(env, "canary") || !strings.Contains(env, "PATH=") {
		t.Errorf("the process that reads gets %s, want no secret", env)
	}
}

func TestOCRIsolationIsRefusedWhereItCannotBe(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	cfg.OCR.Isolation = config.IsolationProcess
	if _, err := runtime.New(cfg); !failedWith(err, "call runtime.OCRProcess first thing in main") {
		t.Errorf("New() without the hook = %v, want what to do", err)
	}
	cfg.OCR.Engine = config.OCRDrawn
	if _, err := runtime.New(cfg, runtime.WithOCRCommand(asKehai)); !failedWith(err, "ocr.isolation") {
		t.Errorf("New() with the engine drawn = %v, want an error about ocr.isolation", err)
	}
}
