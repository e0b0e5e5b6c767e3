//go:build desktop

package x11

import (
	"bufio"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/jezek/xgb/screensaver"
	"github.com/jezek/xgb/xproto"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// hands uses the keyboard and the mouse of a server without a screen, as a person
// would. What [desktop.Client] presses comes from a program.
type hands struct {
	t        testing.TB
	ask      asker
	xtest    byte
	first    byte // event of XInput
	keyboard byte
	mouse    byte
}

func handsAt(t testing.TB, display string) *hands {
	t.Helper()
	conn, addr, err := dial(t.Context(), display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	r := bufio.NewReader(conn)
	if _, err := greet(conn, r, addr); err != nil {
		t.Fatal(err)
	}
	h := &hands{t: t, ask: func(req []byte) ([]byte, error) { return ask(conn, r, req) }}
	reply := h.must(request(98, 0, append(le16(uint16(len("XInputExtension")), 0), "XInputExtension"...)))
	h.first = reply[10]
	if h.xtest, err = h.ask.extension("XTEST"); err != nil || h.xtest == 0 {
		t.Fatalf("extension(XTEST) = %d, %v", h.xtest, err)
	}
	major, err := h.ask.xinput()
	if err != nil {
		t.Fatal(err)
	}
	others, err := h.ask.noHands(major)
	if err != nil {
		t.Fatal(err)
	}
	// Xvfb has a mouse and a keyboard, in this order.
	list, err := parseDevices(h.must(request(major, xiQueryDevice, le16(0, 0))))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if !others[d.id] {
			h.mouse, h.keyboard = h.keyboard, byte(d.id)
		}
	}
	if len(list) != 6 || h.mouse == 0 {
		t.Fatalf("devices %v of which %v are no hands', want a mouse and a keyboard among six", list, others)
	}
	return h
}

func (h *hands) must(req []byte) []byte {
	h.t.Helper()
	reply, err := h.ask(req)
	if err != nil {
		h.t.Fatal(err)
	}
	return reply
}

// fake has a device send an event of XInput. A later request with an answer says
// that it was taken.
func (h *hands) fake(event, detail, device byte, more ...byte) {
	h.t.Helper()
	body := make([]byte, 32+len(more))
	body[0], body[1], body[31] = h.first+event, detail, device
	copy(body[32:], more)
	_, err := h.ask(append(request(h.xtest, 2, body), request(43, 0, nil)...))
	if err != nil {
		h.t.Fatal(err)
	}
}

// Events of XInput, counted from its first.
const (
	deviceKeyPress    = 1
	deviceButtonPress = 3
	deviceMotion      = 5
)

func (h *hands) press(event, detail, device byte) {
	h.t.Helper()
	h.fake(event, detail, device)
	h.fake(event+1, detail, device)
}

// move moves the mouse by so many pixels to the right and down.
func (h *hands) move(x, y int32) {
	h.t.Helper()
	const relative, axes = 1, 2
	valuators := []byte{h.first, h.mouse, 0, 0, 0, 0, axes, 0}
	valuators = binary.LittleEndian.AppendUint32(valuators, uint32(x))
	valuators = binary.LittleEndian.AppendUint32(valuators, uint32(y))
	h.fake(deviceMotion, relative, h.mouse|0x80, append(valuators, make([]byte, 16)...)...)
}

// Input from a program is not counted and does not end the idle time; input from a
// person is counted and ends it.
func TestOnlyHandsCount(t *testing.T) {
	desk := desktop.Start(t)
	u := openUsage(t, Options{Display: desk.Display})
	typist, h := desktop.Connect(t, desk.Display), handsAt(t, desk.Display)
	idle := func() time.Duration {
		t.Helper()
		d, err := u.Idle(t.Context())
		if err != nil {
			t.Fatalf("Idle() = %v", err)
		}
		return d
	}
	if in, err := u.Input(t.Context()); err != nil || in != (hardware.Input{SinceKey: -1}) {
		t.Fatalf("Input() at first = %+v, %v, want nothing counted", in, err)
	}
	h.press(deviceKeyPress, 38, h.keyboard)
	const while = 300 * time.Millisecond
	desktop.Eventually(t, "nobody has touched anything for a while", func() bool { return idle() > while })
	typist.Press(xproto.KeyPress, 39)
	typist.Press(xproto.ButtonPress, 1)
	typist.Move(300, 300)
	if any := sinceAny(t, u); any >= while {
		t.Errorf("the screen saver's idle time after a program typed is %v, want it to have begun anew", any)
	}
	if got := idle(); got <= while {
		t.Errorf("Idle() after a program typed = %v, want more than %v", got, while)
	}
	h.move(10, 10)
	if got := idle(); got >= while {
		t.Errorf("Idle() after the mouse was moved = %v, want less than %v", got, while)
	}
	var in hardware.Input
	desktop.Eventually(t, "the movement is counted", func() bool {
		var err error
		in, err = u.Input(t.Context())
		return err == nil && in.Mouse > 0
	})
	// The server tells events in their order: those of the program came before.
	if in.Keys != 1 || in.Mouse != 1 || in.SinceKey < while {
		t.Errorf("Input() = %+v, want one key, before the program typed, and one movement", in)
	}
}

// sinceAny is the idle time that does not tell people from programs.
func sinceAny(t *testing.T, u *Usage) (idle time.Duration) {
	t.Helper()
	err := u.display.with(context.Background(), func(s *session) error {
		info, err := screensaver.QueryInfo(s.x, xproto.Drawable(s.root)).Reply()
		if err == nil {
			idle = time.Duration(info.MsSinceUserInput) * time.Millisecond
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return idle
}

// The idle time survives the loss of its connection.
func TestIdleAfterTheServerWentAway(t *testing.T) {
	desk := desktop.Start(t)
	u := openUsage(t, Options{Display: desk.Display})
	if _, err := u.Idle(t.Context()); err != nil {
		t.Fatalf("Idle() = %v", err)
	}
	_ = u.idler.conn.Close()
	if _, err := u.Idle(t.Context()); err != nil {
		t.Errorf("Idle() after its connection was lost = %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := u.Idle(ctx); err == nil {
		t.Error("Idle(ended) = nil, want an error")
	}
	if _, err := u.Idle(t.Context()); err != nil {
		t.Errorf("Idle() after one that was cut short = %v", err)
	}
	if err := u.Close(); err != nil {
		t.Errorf("Close() = %v", err)
	}
	if d, err := u.Idle(t.Context()); err == nil {
		t.Errorf("Idle() of a closed driver = %v, want an error", d)
	}
}
