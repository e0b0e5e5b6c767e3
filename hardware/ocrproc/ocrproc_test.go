package ocrproc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// childEnv makes the test binary an OCR process; its value says how the engine
// opens.
const childEnv = "KEHAI_TEST_OCRPROC"

func TestMain(m *testing.M) {
	if how := os.Getenv(childEnv); how != "" {
		if play := roles[how]; play != nil {
			play()
		}
		if err := Serve(os.Stdin, os.Stdout, func() (hardware.Recognizer,
			error) {
			return openScripted(how)
		}); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// Widths of a picture at which the scripted engine misbehaves.
const (
	wideHang = 11 + iota
	wideCrash
	wideNoise
	wideFails
	wideMany
	wideKill
	wideEats
	wideTells
)

var eaten []byte

// scripted answers by the width of the picture.
type scripted struct{ hang chan struct{} }

func openScripted(how string) (hardware.Recognizer, error) {
	if how == "missing" {
		return nil, fmt.Errorf("%w: install it", hardware.ErrNoLanguage)
	}
	return scripted{make(chan struct{})}, nil
}

func (s scripted) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	switch img.Rect.Dx() {
	case wideHang:
		<-s.hang
	case wideCrash:
		_ = syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		<-s.hang
	case wideKill:
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		<-s.hang
	case wideNoise:
		os.Stdout.WriteString("a library that talks too much")
		<-s.hang
	case wideFails:
		return nil, fmt.Errorf("%w: pixels", hardware.ErrEmptyFrame)
	case wideEats:
		eaten = make([]byte, 3<<30)
	case wideTells:
		status, err := os.ReadFile("/proc/self/status")
		return []messages.Line{{Text: messages.Text(status)}}, err
	case wideMany:
		return make([]messages.Line, maxLines+1), nil
	}
	text := fmt.Sprintf("%v %v %v %d", img.Rect.Size(), hint.Lang, hint.Block, img.Pix[len(img.Pix)-1])
	return []messages.Line{{Text: messages.Text(text), Confidence: hint.Scale,
		Box: messages.Rect{X: 1, Y: 2, W: 3, H: 4}}}, nil
}

func (s scripted) Close() error { return nil }

func child(how string) func() *exec.Cmd {
	return func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childEnv+"="+how)
		return cmd
	}
}

func open(t *testing.T) *Recognizer {
	t.Helper()
	r := New(child("well"))
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Errorf("Close() = %v, want nil", err)
		}
	})
	return r
}

func wide(w int) *image.Gray { return image.NewGray(image.Rect(0, 0, w, 4)) }

func reads(t *testing.T, r *Recognizer) {
	t.Helper()
	whole := wide(30)
	whole.Pix[len(whole.Pix)-1-5] = 7
	part := whole.SubImage(image.Rect(5, 2, 25, 4)).(*image.Gray)
	lines, err := r.Recognize(context.Background(), part,
		hardware.Hint{Scale: 0.5, Lang: hardware.LangLatin, Block: true})
	if err != nil || len(lines) != 1 {
		t.Fatalf("Recognize() = %d lines, %v, want one", len(lines), err)
	}
	if got, want := string(lines[0].Text), "(20,2) eng true 7"; got != want {
		t.Errorf("the other process got %q, want %q", got, want)
	}
	if got, want := lines[0].Box, (messages.Rect{X: 6, Y: 4, W: 3, H: 4}); got != want || lines[0].Confidence != 0.5 {
		t.Errorf("line at %v, %v, want %v, 0.5", got, lines[0].Confidence, want)
	}
}

func TestReadsElsewhere(t *testing.T) {
	r := open(t)
	reads(t, r)
	first := r.process.cmd.Process.Pid
	reads(t, r)
	if got := r.process.cmd.Process.Pid; got != first {
		t.Errorf("second picture went to process %d, want %d again", got, first)
	}
}

func TestSurvivesWhatEndsItsProcess(t *testing.T) {
	r := open(t)
	for _, c := range []struct {
		name  string
		width int
		want  string
		is    error
	}{
		{"crash", wideCrash, "exit status 2", nil},
		{"kill", wideKill, "signal: killed", nil},
		{"noise", wideNoise, "", ErrWire},
		{"hang", wideHang, "", context.DeadlineExceeded},
	} {
		reads(t, r)
		pid := r.process.cmd.Process.Pid
		ctx, cancel := context.WithCancel(context.Background())
		if c.width == wideHang {
			ctx, cancel = context.WithTimeout(ctx, 100*time.Millisecond)
		}
		_, err := r.Recognize(ctx, wide(c.width), hardware.Hint{})
		cancel()
		if err == nil || !strings.Contains(err.Error(), c.want) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: Recognize() = %v, want %q, %v", c.name, err, c.want, c.is)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("%s: process %d after it: %v, want it gone and waited for", c.name, pid, err)
		}
		reads(t, r)
	}
}

func TestErrorsOfTheEngineCross(t *testing.T) {
	r := open(t)
	if _, err := r.Recognize(context.Background(), wide(wideFails), hardware.Hint{}); !errors.Is(err,
		hardware.ErrEmptyFrame) {
		t.Errorf("Recognize() = %v, want ErrEmptyFrame", err)
	}
	if _, err := r.Recognize(context.Background(), wide(wideMany), hardware.Hint{}); err == nil ||
		!strings.Contains(err.Error(), "20001 lines") {
		t.Errorf("Recognize() = %v, want that there are too many lines", err)
	}
	reads(t, r)
	missing := New(child("missing"))
	if _, err := missing.Recognize(context.Background(), wide(1), hardware.Hint{}); !errors.Is(err,
		hardware.ErrNoLanguage) || missing.process != nil {
		t.Errorf("Recognize() without language = %v, process left: %v, want ErrNoLanguage and none", err,
			missing.process != nil)
	}
	none := New(func() *exec.Cmd { return exec.Command("/nonexistent/kehai") })
	if _, err := none.Recognize(context.Background(), wide(1), hardware.Hint{}); !errors.Is(err,
		hardware.ErrUnavailable) {
		t.Errorf("Recognize() without program = %v, want ErrUnavailable", err)
	}
}

func TestRefusals(t *testing.T) {
	r := open(t)
	for name, img := range map[string]*image.Gray{
		"nil": nil, "empty": {}, "short": {Pix: make([]byte, 5), Stride: 10, Rect: image.Rect(0, 0, 10, 10)},
	} {
		if _, err := r.Recognize(context.Background(), img, hardware.Hint{}); !errors.Is(err, hardware.ErrEmptyFrame) {
			t.Errorf("Recognize(%s) = %v, want ErrEmptyFrame", name, err)
		}
	}
	large := &image.Gray{Pix: make([]byte, maxSide+1), Stride: maxSide + 1, Rect: image.Rect(0, 0, maxSide+1, 1)}
	if _, err := r.Recognize(context.Background(), large, hardware.Hint{}); err == nil {
		t.Error("Recognize(too wide) = nil, want an error")
	}
	if r.process != nil {
		t.Error("a refused picture started a process")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Recognize(ctx, wide(9), hardware.Hint{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Recognize after cancel = %v, want context.Canceled", err)
	}
	r.Close()
	if _, err := r.Recognize(context.Background(), wide(9), hardware.Hint{}); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("Recognize after Close = %v, want ErrUnavailable", err)
	}
}

// TestNothingIsLeft counts open files and children over many crashes.
func TestNothingIsLeft(t *testing.T) {
	r := open(t)
	reads(t, r)
	r.process.end()
	r.process = nil
	files := openFiles(t)
	for range 10 {
		if _, err := r.Recognize(context.Background(), wide(wideCrash), hardware.Hint{}); err == nil {
			t.Fatal("Recognize() of a crash = nil, want an error")
		}
	}
	if got := openFiles(t); got > files {
		t.Errorf("%d files are open after ten crashes, want %d", got, files)
	}
	var status syscall.WaitStatus
	if pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil); !errors.Is(err, syscall.ECHILD) {
		t.Errorf("wait = %d, %v, want no child left", pid, err)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := filepath.Glob("/dev/fd/*")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// TestEndsWithItsParent closes the input while the engine hangs.
func TestEndsWithItsParent(t *testing.T) {
	r := open(t)
	reads(t, r)
	p := r.process
	r.process = nil
	if _, err := p.in.Write(request{wide(wideHang), hardware.Hint{}}.append(nil)); err != nil {
		t.Fatal(err)
	}
	p.in.Close()
	if _, err := io.Copy(io.Discard, p.out); err != nil {
		t.Fatal(err)
	}
	defer close(p.gone)
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("the process ended with %v, want 0", err)
	}
}

func FuzzReadRequest(f *testing.F) {
	f.Add(request{wide(3), hardware.Hint{Scale: 2, Lang: hardware.LangJapanese}}.append(nil))
	f.Add([]byte{0, 0, 0, 21, 1, 0, 0, 0})
	f.Add([]byte{255, 255, 255, 255})
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := readRequest(bytes.NewReader(data))
		if err != nil {
			return
		}
		if err := r.check(); err != nil {
			t.Fatalf("readRequest() gave a picture that check refuses: %v", err)
		}
		if again := r.append(nil); !bytes.Equal(again, data[:len(again)]) {
			t.Fatalf("append(readRequest(%x)) = %x", data, again)
		}
	})
}

func FuzzReadAnswer(f *testing.F) {
	var b bytes.Buffer
	if err := writeAnswer(&b, answer{Lines: []messages.Line{{Text: "はい", Confidence: 1}}, Error: "e",
		Code: messages.CodeNoLanguage}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte("\x00\x00\x00\x02{}"))
	f.Add([]byte("\x00\x00\x00\x02[]"))
	f.Fuzz(func(t *testing.T, data []byte) {
		a, err := readAnswer(bytes.NewReader(data))
		if err == nil && (a.err() == nil) != (a.Error == "") {
			t.Fatalf("err() = %v of %q", a.err(), a.Error)
		}
	})
}
