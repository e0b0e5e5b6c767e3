package runtime_test

import (
	"context"
	"errors"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// A recognizer of the host's own takes the place of the built-in one, and of
// the check that it is installed.
func TestARecognizerOfTheHost(t *testing.T) {
	cfg := config.Default()
	cfg.Data = t.TempDir()
	opened := make(chan struct{}, 100)
	rt := newRuntime(t, cfg, runtime.WithRecognizer(config.OCRTesseract, func() (hardware.Recognizer, error) {
		opened <- struct{}{}
		return nil, errors.New("no such engine here")
	}))
	stop := start(t, rt)
	<-opened
	var left *runtime.Unfinished
	if err := stop(); err != nil && !errors.As(err, &left) {
		t.Errorf("Run: %v", err)
	}
	if err := rt.Run(context.Background()); err == nil {
		t.Error("second Run = nil, want an error")
	}
}
