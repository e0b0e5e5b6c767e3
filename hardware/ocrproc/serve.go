package ocrproc

import (
	"context"
	"errors"
	"io"

	"github.com/kehai-run/kehai/hardware"
)

// Serve opens an engine, reports whether that worked, and answers requests until
// in ends. Then it returns even while the engine is inside a call, and the caller
// must exit: a child must not outlive its parent. An error means that the other
// side broke the protocol or is gone.
func Serve(in io.Reader, out io.Writer, open func() (hardware.Recognizer, error)) error {
	engine, err := open()
	if err != nil {
		return writeAnswer(out, failed(err))
	}
	if err := writeAnswer(out, answer{}); err != nil {
		return err
	}
	ended := make(chan error, 2)
	requests := make(chan request)
	go func() {
		defer close(requests)
		for {
			r, err := readRequest(in)
			if err != nil {
				if errors.Is(err, io.EOF) {
					err = nil
				}
				ended <- err
				return
			}
			requests <- r
		}
	}()
	go func() {
		for r := range requests {
			a := answer{}
			lines, err := engine.Recognize(context.Background(), r.img, r.hint)
			if err != nil {
				a = failed(err)
			} else {
				a.Lines = lines
			}
			if err := writeAnswer(out, a); err != nil {
				ended <- err
				return
			}
		}
	}()
	return <-ended
}
