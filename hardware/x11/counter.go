package x11

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
)

// counter counts the raw input events (XInput 2) of physical devices, on a
// connection of its own. xgb cannot read events of more than 32 bytes. Reading
// them here also keeps a promise: only the kind and the device of an event are
// looked at. The key code between them is discarded unread.
type counter struct {
	display string

	mu      sync.Mutex
	conn    net.Conn // nil while not counting
	done    chan struct{}
	closed  bool
	keys    uint64
	mouse   uint64
	lastKey time.Time
}

// headerLen bytes of each message are read: kind, extension, sequence number,
// length, and the kind of an extension's event. For a raw event, the two bytes at
// sourceAt are read too: they name its device.
const (
	headerLen = 10
	sourceAt  = 20
	sourceLen = 2
)

// Kinds of messages, and of raw events.
const (
	kindError   = 0
	kindReply   = 1
	kindGeneric = 35

	rawKeyPress    = 13
	rawButtonPress = 15
	rawMotion      = 17
)

// start makes the counter count, if it does not already.
func (c *counter) start(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return fmt.Errorf("x11: the usage driver is closed: %w", hardware.ErrUnavailable)
	}
	if c.conn != nil {
		select {
		case <-c.done:
			c.conn = nil
		default:
			return nil
		}
	}
	raw, addr, err := dial(ctx, c.display)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	r := bufio.NewReaderSize(raw, 4<<10)
	major, others, err := subscribe(raw, r, addr)
	if !stop() {
		err = ctx.Err()
	}
	if err != nil {
		_ = raw.Close()
		return err
	}
	c.conn, c.done = raw, make(chan struct{})
	go func(done chan struct{}) {
		defer close(done)
		defer func() { _ = raw.Close() }()
		// Ends when either side closes the connection; the next start connects again.
		_ = c.consume(r, major, others)
	}(c.done)
	return nil
}

// consume counts until the stream ends. major is XInput's number. Events of the
// devices in others do not count; events of a device added later do.
func (c *counter) consume(r *bufio.Reader, major byte, others devices) error {
	for {
		var head [headerLen]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return err
		}
		if head[0] != kindGeneric || head[1] != major {
			if err := discard(r, head, headerLen); err != nil {
				return err
			}
			continue
		}
		if _, err := io.CopyN(io.Discard, r, sourceAt-headerLen); err != nil {
			return err
		}
		var source [sourceLen]byte
		if _, err := io.ReadFull(r, source[:]); err != nil {
			return err
		}
		if err := discard(r, head, sourceAt+sourceLen); err != nil {
			return err
		}
		if !others[binary.LittleEndian.Uint16(source[:])] {
			c.count(binary.LittleEndian.Uint16(head[8:]), time.Now())
		}
	}
}

// discard skips the rest of a message after read bytes of it.
func discard(r *bufio.Reader, head [headerLen]byte, read int64) error {
	rest := 32 - read
	if head[0] == kindReply || head[0]&0x7f == kindGeneric {
		rest += 4 * int64(binary.LittleEndian.Uint32(head[4:]))
	}
	_, err := io.CopyN(io.Discard, r, rest)
	return err
}

func (c *counter) count(kind uint16, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind {
	case rawKeyPress:
		c.keys++
		c.lastKey = now
	case rawButtonPress, rawMotion:
		c.mouse++
	}
}

func (c *counter) read(now time.Time) hardware.Input {
	c.mu.Lock()
	defer c.mu.Unlock()
	in := hardware.Input{Keys: c.keys, Mouse: c.mouse, SinceKey: -1}
	if !c.lastKey.IsZero() {
		in.SinceKey = max(now.Sub(c.lastKey), 0)
	}
	return in
}

// close ends the connection and waits for its reader.
func (c *counter) close() {
	c.mu.Lock()
	c.closed = true
	conn, done := c.conn, c.done
	c.conn = nil
	c.mu.Unlock()
	if conn != nil {
		_ = conn.Close()
		<-done
	}
}

// subscribe sets up the connection and asks for the raw events of the root window.
func subscribe(w io.Writer, r *bufio.Reader, addr address) (major byte, others devices, err error) {
	root, err := greet(w, r, addr)
	if err != nil {
		return 0, nil, err
	}
	say := asker(func(req []byte) ([]byte, error) { return ask(w, r, req) })
	if major, err = say.xinput(); err != nil {
		return 0, nil, err
	}
	if others, err = say.noHands(major); err != nil {
		return 0, nil, err
	}
	const allMasters, maskWords = 1, 1
	body := binary.LittleEndian.AppendUint32(nil, uint32(root))
	body = append(body, le16(1, 0, allMasters, maskWords)...)
	body = binary.LittleEndian.AppendUint32(body, 1<<rawKeyPress|1<<rawButtonPress|1<<rawMotion)
	if _, err := w.Write(request(major, xiSelectEvents, body)); err != nil {
		return 0, nil, err
	}
	// XISelectEvents has no reply: the reply to a later request confirms it.
	_, err = say(request(43, 0, nil))
	return major, others, err
}

func noXInput() error {
	return fmt.Errorf("x11: the X server has no XInput 2, which counts input (use one of the last ten years): %w",
		hardware.ErrUnavailable)
}

// greet performs the connection setup and returns the root window.
func greet(w io.Writer, r *bufio.Reader, addr address) (xproto.Window, error) {
	const method = "MIT-MAGIC-COOKIE-1"
	hello := []byte{'l', 0, 11, 0, 0, 0}
	if cookie := cookieFor(addr); cookie != nil {
		hello = append(hello, le16(uint16(len(method)), uint16(len(cookie)), 0)...)
		hello = append(hello, method+"\x00\x00"...)
		hello = append(hello, cookie...)
	} else {
		hello = append(hello, 0, 0, 0, 0, 0, 0)
	}
	if _, err := w.Write(hello); err != nil {
		return 0, lost(err)
	}
	var head [8]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, lost(err)
	}
	answer := make([]byte, len(head)+4*int(binary.LittleEndian.Uint16(head[6:])))
	if _, err := io.ReadFull(r, answer[copy(answer, head[:]):]); err != nil {
		return 0, lost(err)
	}
	if head[0] != 1 {
		return 0, fmt.Errorf("x11: the X server refused this user (set XAUTHORITY to the session's authority file): %w",
			hardware.ErrPermission)
	}
	var setup xproto.SetupInfo
	xproto.SetupInfoRead(answer, &setup)
	if addr.screen >= len(setup.Roots) {
		return 0, fmt.Errorf("x11: the display has no screen %d: %w", addr.screen, hardware.ErrNoDisplay)
	}
	return setup.Roots[addr.screen].Root, nil
}

// maxReply bounds a reply, in bytes after the first 32.
const maxReply = 1 << 20

// ask sends a request and returns its reply. Nothing else can arrive in between,
// since only the last request asks for events.
func ask(w io.Writer, r *bufio.Reader, req []byte) ([]byte, error) {
	if _, err := w.Write(req); err != nil {
		return nil, lost(err)
	}
	for {
		kind, err := r.Peek(1)
		if err != nil {
			return nil, lost(err)
		}
		if kind[0] == kindReply || kind[0] == kindError {
			break
		}
		var head [headerLen]byte
		if _, err := io.ReadFull(r, head[:]); err != nil {
			return nil, lost(err)
		}
		if err := discard(r, head, headerLen); err != nil {
			return nil, lost(err)
		}
	}
	var head [32]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, lost(err)
	}
	if head[0] == kindError {
		return nil, fmt.Errorf("x11: the X server refused to count input (error %d): %w", head[1],
			hardware.ErrPermission)
	}
	more := 4 * int64(binary.LittleEndian.Uint32(head[4:]))
	if more > maxReply {
		return nil, lost(errors.New("its answer is too long"))
	}
	reply := make([]byte, len(head)+int(more))
	if _, err := io.ReadFull(r, reply[copy(reply, head[:]):]); err != nil {
		return nil, lost(err)
	}
	return reply, nil
}

// request puts the header before a body and pads it to words.
func request(major, minor byte, body []byte) []byte {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	req := append([]byte{major, minor}, le16(uint16(1+len(body)/4))...)
	return append(req, body...)
}

func le16(list ...uint16) []byte {
	var b []byte
	for _, v := range list {
		b = binary.LittleEndian.AppendUint16(b, v)
	}
	return b
}
