package ocrproc

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os/exec"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
)

// Recognizer reads text in a child process. It serves one goroutine at a time.
type Recognizer struct {
	command func() *exec.Cmd
	process *process // nil if none is running
	closed  bool
}

var _ hardware.Recognizer = (*Recognizer)(nil)

// New makes a recognizer. command makes its process, which must call [Serve] with
// its standard input and output. The first call starts it.
func New(command func() *exec.Cmd) *Recognizer { return &Recognizer{command: command} }

// Recognize implements [hardware.Recognizer]. When ctx ends, it kills the
// process; when the process dies, the error says how. Either way the next call
// starts another one.
func (r *Recognizer) Recognize(ctx context.Context, img *image.Gray, hint hardware.Hint) ([]messages.Line, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if r.closed {
		return nil, fmt.Errorf("%w: ocrproc: the recognizer is closed; open another", hardware.ErrUnavailable)
	}
	req := request{img, hint}
	if err := req.check(); err != nil {
		return nil, err
	}
	if r.process == nil {
		p, err := start(r.command())
		if err != nil {
			return nil, err
		}
		r.process = p
		if err := r.exchange(ctx, nil, nil); err != nil {
			return nil, err
		}
	}
	var lines []messages.Line
	if err := r.exchange(ctx, req.append(nil), &lines); err != nil {
		return nil, err
	}
	for i := range lines {
		lines[i].Box.X += img.Rect.Min.X
		lines[i].Box.Y += img.Rect.Min.Y
	}
	return lines, nil
}

// exchange sends a request and waits for the answer. Without a request it waits
// for the answer to the start. It ends a process that cannot take another
// request.
func (r *Recognizer) exchange(ctx context.Context, req []byte, lines *[]messages.Line) error {
	p := r.process
	a, err := p.roundTrip(ctx, req)
	if err == nil {
		if lines != nil {
			*lines = a.Lines
		}
		err = a.err()
		if err != nil && lines == nil {
			r.process = nil
			p.end() // the engine did not open
		}
		if ctx.Err() != nil { // the kill may not have arrived yet
			r.process = nil
			p.end()
		}
		return err
	}
	r.process = nil
	how := p.end()
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("ocrproc: the process was killed in the middle of a picture: %w", ctx.Err())
	case errors.Is(err, ErrWire):
		return err
	}
	return fmt.Errorf("ocrproc: the process died in the middle of a picture (%s); the next picture starts another", how)
}

// Close ends the process. It may be called twice.
func (r *Recognizer) Close() error {
	r.closed = true
	if p := r.process; p != nil {
		r.process = nil
		p.end()
	}
	return nil
}

// process is a running child process.
type process struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  io.ReadCloser
	gone chan struct{} // closed when it has been waited for
}

func start(cmd *exec.Cmd) (*process, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("ocrproc: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		in.Close()
		return nil, fmt.Errorf("ocrproc: %w", err)
	}
	p := &process{cmd: cmd, in: in, out: out, gone: make(chan struct{})}
	if err := confine(cmd, p.gone); err != nil {
		if cmd.Process != nil {
			p.end()
		}
		return nil, fmt.Errorf("%w: ocrproc: start a process: %w", hardware.ErrUnavailable, err)
	}
	return p, nil
}

func (p *process) roundTrip(ctx context.Context, req []byte) (answer, error) {
	stop := context.AfterFunc(ctx, func() { _ = p.cmd.Process.Kill() }) // it fails only if the process is gone
	defer stop()
	if len(req) > 0 {
		if _, err := p.in.Write(req); err != nil {
			return answer{}, err
		}
	}
	return readAnswer(p.out)
}

// end kills the process, closes its pipes, and says how it ended.
func (p *process) end() string {
	p.in.Close()
	_ = p.cmd.Process.Kill() // it fails only if the process is gone
	err := p.cmd.Wait()
	close(p.gone)
	if p.cmd.ProcessState != nil {
		return p.cmd.ProcessState.String()
	}
	return fmt.Sprint(err)
}
