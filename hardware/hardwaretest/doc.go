// Package hardwaretest holds one conformance suite for each interface of
// package hardware: [Screen], [CropRecognizer], [Structure], [Usage], [Typist].
// A driver's tests give a suite a fixture: a driver together with the means to
// change what it sees. The suite checks what every driver must do.
//
// All suites check that a call whose context has ended returns soon and wraps the
// context's error. Every other error has a code ([hardware.Code]) and reveals
// nothing that windows show or that is typed. Methods may be called concurrently
// if the interface says so. A closed driver has no goroutine left.
package hardwaretest

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kehai-run/kehai/hardware"
)

// wantTyped checks an error that a driver returned.
func wantTyped(t *testing.T, call string, err, want error, secrets []string) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s = %v, want %v", call, err, want)
	}
	if err == nil {
		return
	}
	if code := hardware.Code(err); code == "error" {
		t.Errorf("%s = %v, whose code is %q, want one of package hardware's errors in it", call, err, code)
	}
	noSecret(t, call, err, secrets)
}

func noSecret(t *testing.T, call string, err error, secrets []string) {
	t.Helper()
	for _, s := range secrets {
		if s != "" && err != nil && strings.Contains(err.Error(), s) {
			t.Errorf("%s = an error with a text that is private", call)
		}
	}
}

// closes runs use on a driver and checks that end leaves no goroutine of it.
func closes(t *testing.T, use func(), end func() error) {
	t.Helper()
	before := goleak.IgnoreCurrent()
	use()
	if err := end(); err != nil {
		t.Errorf("Close() = %v, want nil", err)
	}
	if err := goleak.Find(before); err != nil {
		t.Errorf("after Close: %v", err)
	}
}
