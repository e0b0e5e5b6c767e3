package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
)

// childEnv makes the test binary a kehai whose OCR calls fail: its value is the
// share that does, out of 1.
const childEnv = "KEHAI_TEST_CHILD"

func crashChild() int {
	share, err := strconv.ParseFloat(os.Getenv(childEnv), 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, childEnv, err)
		return exitUsage
	}
	os.Unsetenv(childEnv) // kehai knows no such variable, and says so
	faulty := runtime.WithWorkerWrapper(func(kind string, w actors.Worker) actors.Worker {
		if kind != "ocr" {
			return w
		}
		return faultyWorker{w, share}
	})
	return Main(os.Args[1:], os.Stdout, os.Stderr, faulty)
}

// faultyWorker fails, panics or hangs in a share of its calls.
type faultyWorker struct {
	actors.Worker
	share float64
}

func (f faultyWorker) Do(ctx context.Context, request messages.Message) (messages.Message, error) {
	switch x := rand.Float64(); {
	case x < f.share/3:
		return nil, errors.New("crash test: error")
	case x < 2*f.share/3:
		panic("crash test: panic")
	case x < f.share:
		// Longer than the deadline and the grace, so that the call is abandoned.
		<-ctx.Done()
		<-time.After(400 * time.Millisecond)
	}
	return f.Worker.Do(ctx, request)
}
