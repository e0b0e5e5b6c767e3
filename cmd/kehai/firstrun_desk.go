package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	goruntime "runtime"
	"syscall"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// realDesk is the desktop of the person.
type realDesk struct {
	*rowFinder
	desktopNotices
	cfg config.Config
	out terminal
}

func openDesk(cfg config.Config, out terminal) (*realDesk, error) {
	rows, err := openRows()
	return &realDesk{rows, desktopNotices{native.openNotifier}, cfg, out}, err
}

func (d *realDesk) Machine(ctx context.Context) string {
	return fmt.Sprintf("%s/%s, %s, %s", goruntime.GOOS, goruntime.GOARCH, systemVersion(ctx), goruntime.Version())
}

func (d *realDesk) Check(ctx context.Context) []finding {
	list := []finding{checkOCR(ctx, d.cfg), checkFonts()}
	return append(list, systemFindings(ctx, wants{screen: true})...)
}

func (d *realDesk) Ask(ctx context.Context) error { return askSystem(ctx, d.out) }

func (d *realDesk) Idle(ctx context.Context) (time.Duration, error) {
	hands, err := native.openTypist()
	if err != nil {
		return 0, err
	}
	if c, ok := hands.(io.Closer); ok {
		defer c.Close()
	}
	p, ok := hands.(hardware.Presence)
	if !ok {
		return 0, fmt.Errorf("no driver tells that: %w", hardware.ErrUnavailable)
	}
	return p.Idle(ctx)
}

// Watch starts this program with a store of its own, which goes with it.
func (d *realDesk) Watch(ctx context.Context, ref string) (<-chan struct{}, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	data, err := os.MkdirTemp("", "kehai-first-run")
	if err != nil {
		return nil, err
	}
	cmd := d.watching(ctx, program, ref, data)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(data))
	}
	arrived := make(chan struct{}, 1000)
	go func() {
		defer close(arrived)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var e control.Entry
			if json.Unmarshal(lines.Bytes(), &e) == nil && e.Event == control.EventMessage {
				arrived <- struct{}{}
			}
		}
		_ = cmd.Wait() // how it ended is of no use once the person goes on
		_ = os.RemoveAll(data)
	}()
	return arrived, nil
}

// watching is this program on a window. Of Kehai's settings in the environment it gets only those of OCR.
func (d *realDesk) watching(ctx context.Context, program, ref, data string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, "watch", "--window", ref, "--ocr", d.cfg.OCR.Engine, "--json", "--no-web",
		"--data", data)
	cmd.Env = append(hardware.ChildEnv(os.Environ(), hardware.ChildDesktop, hardware.ChildReading,
		[]string{"KEHAI_OCR_*"}), "KEHAI_DEDUP_FIRST_SIGHT=none", "KEHAI_CONFIG=")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}
