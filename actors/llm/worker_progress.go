package llm

import (
	"strings"
	"sync"
	"time"

	textstream "github.com/kehai-run/kehai/actors/text/stream"
)

// Chunk is all that a model has written of an answer so far.
type Chunk struct {
	Epoch int // counts the starts of the answer, from 0
	Text  string
}

// publisher reports the progress of an answer: at once when it begins, then at most every
// 150 ms, and at the end. A nil publisher does nothing.
type publisher struct {
	mu       sync.Mutex
	progress func(Chunk)
	throttle textstream.Throttle
	epoch    int
	text     strings.Builder
	sent     Chunk
	timer    *time.Timer // runs while text waits for the throttle
	closed   bool
	panicked any
}

func newPublisher(progress func(Chunk)) *publisher {
	if progress == nil {
		return nil
	}
	return &publisher{progress: progress, throttle: textstream.Throttle{Every: textstream.Every}}
}

// add appends to the answer. A text longer than an answer may be fails later.
func (p *publisher) add(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text.Len() <= maxResponse {
		p.text.WriteString(text)
	}
	p.tell()
}

// anew starts the answer over, if any of it was reported.
func (p *publisher) anew() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text.Reset()
	if p.sent.Text != "" {
		p.epoch++
	}
}

// tell reports new text, now or when the throttle allows it.
func (p *publisher) tell() {
	if p.closed || p.timer != nil || p.text.Len() == 0 || p.now() == p.sent {
		return
	}
	wait, ok := p.throttle.Pass(time.Now())
	if ok {
		p.pass(p.now())
		return
	}
	p.timer = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.timer = nil
		p.tell()
	})
}

func (p *publisher) now() Chunk { return Chunk{p.epoch, p.text.String()} }

// pass reports one chunk. It may run on the timer's goroutine, or on one of
// langchaingo's, where a panic would end the program: close re-raises it.
func (p *publisher) pass(c Chunk) {
	defer func() {
		if r := recover(); r != nil && p.panicked == nil {
			p.panicked, p.closed = r, true
		}
	}()
	p.sent = c
	p.progress(c)
}

// finish reports the final text, unless it was reported.
func (p *publisher) finish(text string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := (Chunk{p.epoch, text}); !p.closed && p.sent != last {
		p.pass(last)
	}
}

// close ends the reporting: after it returns, progress is not called any more.
func (p *publisher) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	if p.timer != nil {
		p.timer.Stop()
	}
	if p.panicked != nil {
		panic(p.panicked)
	}
}
