package main

import (
	"bufio"
	"context"
	_ "embed" // of the example
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/private"
)

// exampleTracker is a face tracker that a person can start from.
//
//go:embed tracker.py
var exampleTracker string

type focusFeed struct {
	*app
	example, fast bool
}

func (v *focusFeed) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "feed FILE|-",
		Short: "Send what a face tracker sees to the running Kehai",
		Long: `Sends lines of a face tracker to the running Kehai, which judges them with
focus.enabled. Each line is one picture, with the 478 landmarks of MediaPipe or
the 68 of OpenFace, or one snapshot that the tracker made itself:

  {"at_ms":33.4,"width":1280,"height":720,"points":[[0.4785,0.4183],…]}
  {"at_ms":66.7,"points":null}
  {"camera":{"face_detected":true,"ear_average":0.31}}

The file - is standard input, so that a tracker can be piped in; a file is sent
at the pace of its times. Lines that are refused are named and left out. Ten to
thirty pictures a second are right, two the least. --example prints a tracker in
Python that uses MediaPipe; kehai focus camera needs no Python.

A tracker can do without this verb: the same lines go to the socket focus.sock in
the data directory or, where focus.feed_addr is set, over HTTP.`,
		Example: `  kehai focus feed --example > tracker.py
  python3 tracker.py face_landmarker.task | kehai focus feed -
  kehai focus feed recorded.jsonl
  nc -U "$DATA/focus.sock" < recorded.jsonl
  (printf 'Authorization: Bearer '; cat "$DATA/feed.token") | curl -H @- \
    --data-binary @recorded.jsonl "http://$FEED_ADDR/v1/focus?session=1"`,
		Args: cobra.MaximumNArgs(1),
		RunE: v.run,
	}
	cmd.Flags().BoolVar(&v.example, "example", false, "print a tracker in Python and end")
	cmd.Flags().BoolVar(&v.fast, "fast", false, "send a file without waiting for its times")
	return cmd
}

func (v *focusFeed) run(cmd *cobra.Command, args []string) error {
	switch {
	case v.example && len(args) == 0:
		_, err := io.WriteString(v.stdout, exampleTracker)
		return err
	case v.example || len(args) == 0:
		return badUsage("feed: want a file, - for standard input, or --example")
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	in, err := openInput(cmd, "focus feed", args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	socket, err := datadir.FeedSocket(cfg.Data)
	if err != nil {
		return err
	}
	conn, err := private.Dial(cmd.Context(), socket)
	if err != nil {
		return fmt.Errorf("focus feed: no Kehai listens to face trackers: "+
			"set focus.enabled: true and start kehai run: %w", err)
	}
	defer conn.Close()
	c := feedClient{conn: conn, report: v.stderr, paced: args[0] != "-" && !v.fast}
	return c.feed(cmd.Context(), in)
}

// Bounds of what a client prints.
const (
	maxRefusals = 20 // that are printed one by one
	reportEvery = 10 * time.Second
	longWait    = 5 * time.Second // is announced
)

// feedClient sends lines to a feed and reports the refused ones.
type feedClient struct {
	conn   net.Conn
	report terminal
	paced  bool // at the pace of the lines' times

	lines    int          // sent; the feed counts them in the same way
	filled   int          // that were not empty
	cut      bool         // the connection failed under a write
	question atomic.Int64 // number of the question after the last line, once it was sent
	refused  atomic.Int64

	printing sync.Mutex
}

func (c *feedClient) say(format string, args ...any) {
	c.printing.Lock()
	defer c.printing.Unlock()
	c.report.printf(format+"\n", args...)
}

func (c *feedClient) write(text []byte) error {
	_, err := c.conn.Write(text)
	c.cut = err != nil
	return err
}

// feed sends all lines and waits until the feed has answered for the last one.
func (c *feedClient) feed(ctx context.Context, in io.Reader) error {
	answered := make(chan error, 1)
	go func() {
		answered <- c.answers()
		c.conn.Close() // a blocked writer must not wait for answers
	}()
	err := c.send(ctx, in)
	if err == nil {
		c.question.Store(int64(c.lines) + 1)
		err = c.write([]byte(`{"ack":true}` + "\n"))
	}
	if err != nil {
		c.conn.Close()
	}
	if lost := <-answered; lost != nil && (err == nil || c.cut) {
		err = lost // says more than that the connection is gone
	}
	refused := int(c.refused.Load())
	switch {
	case err != nil:
		return fmt.Errorf("focus feed: after %d lines: %w", c.filled, err)
	case c.filled == 0:
		return errors.New(`focus feed: no lines: want some such as {"at_ms":0,"points":[…]}`)
	case refused > 0:
		return fmt.Errorf("focus feed: %d of %d lines were refused", refused, c.filled)
	}
	c.say("%d lines were taken", c.filled)
	return nil
}

// answers reports what was refused until the last line was answered for.
func (c *feedClient) answers() error {
	for in := json.NewDecoder(c.conn); ; {
		var a struct {
			OK    bool   `json:"ok"`
			Line  int64  `json:"line"`
			Error string `json:"error"`
		}
		if err := in.Decode(&a); err != nil {
			return fmt.Errorf("the connection to Kehai ended: %w", err)
		}
		switch question := c.question.Load(); {
		case question > 0 && a.Line == question:
			return nil
		case !a.OK && a.Line == 0:
			return errors.New(a.Error)
		case !a.OK:
			if n := c.refused.Add(1); n <= maxRefusals {
				c.say("line %d: %s", a.Line, a.Error)
			} else if n == maxRefusals+1 {
				c.say("further lines that are refused are only counted")
			}
		}
	}
}

// send copies lines of any length.
func (c *feedClient) send(ctx context.Context, in io.Reader) error {
	r := bufio.NewReaderSize(in, 512<<10) // twice what a feed takes
	var due schedule
	for reported := time.Now(); ; {
		text, err := r.ReadSlice('\n')
		if len(text) == 0 && errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
		if c.paced {
			if err := c.wait(ctx, due.next(text, time.Now())); err != nil {
				return err
			}
		}
		if err := c.sendLine(r, text, err); err != nil {
			return err
		}
		if now := time.Now(); now.Sub(reported) >= reportEvery {
			reported = now
			c.say("%d lines sent, %d refused", c.filled, c.refused.Load())
		}
	}
}

// sendLine sends a line whose beginning was read, with the error that came after it.
func (c *feedClient) sendLine(r *bufio.Reader, text []byte, err error) error {
	c.lines++
	if len(text) > 2 || len(text) > 0 && text[0] > ' ' {
		c.filled++
	}
	for {
		if errors.Is(err, io.EOF) {
			text = append(text[:len(text):len(text)], '\n')
		}
		if failed := c.write(text); failed != nil {
			return failed
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil // the end of what is read comes again
		}
		text, err = r.ReadSlice('\n')
	}
}

func (c *feedClient) wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	if d >= longWait {
		c.say("the next line comes in %v; --fast does not wait", d.Round(time.Second))
	}
	return hardware.Pause(ctx, d)
}

// schedule says when recorded lines are due.
type schedule struct {
	began bool
	start time.Time // when the line of time zero was due
	last  time.Duration
}

// maxPaceMS bounds the time of a line that can be waited for, in milliseconds.
const maxPaceMS = 9e12

// next returns how long to wait before a line. A line without a time is due at once, and
// one whose time goes back starts the clock again.
func (p *schedule) next(text []byte, now time.Time) time.Duration {
	var line struct {
		AtMS *float64 `json:"at_ms"`
	}
	if json.Unmarshal(text, &line) != nil || line.AtMS == nil || !(*line.AtMS >= 0 && *line.AtMS <= maxPaceMS) {
		return 0
	}
	at := time.Duration(*line.AtMS * float64(time.Millisecond))
	if !p.began || at < p.last {
		p.began, p.start = true, now.Add(-at)
	}
	p.last = at
	return p.start.Add(at).Sub(now)
}
