package x11

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"image/color"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

func TestParseDisplay(t *testing.T) {
	for in, want := range map[string]address{
		":0":                        {network: "unix", path: "/tmp/.X11-unix/X0", number: "0"},
		":12.1":                     {network: "unix", path: "/tmp/.X11-unix/X12", number: "12", screen: 1},
		"unix:3":                    {network: "unix", path: "/tmp/.X11-unix/X3", number: "3"},
		"desk:1.0":                  {network: "tcp", path: "desk:6001", host: "desk", number: "1"},
		"tcp/desk:1":                {network: "tcp", path: "desk:6001", host: "desk", number: "1"},
		"tcp/[::1]:1":               {network: "tcp", path: "[::1]:6001", host: "[::1]", number: "1"},
		"/tmp/launch/org.xquartz:0": {network: "unix", path: "/tmp/launch/org.xquartz:0", number: "0"},
	} {
		if got, err := parseDisplay(in); err != nil || got != want {
			t.Errorf("parseDisplay(%q) = %+v, %v, want %+v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "0", ":", ":x", ":-1", ":0.x", ":99999", "host"} {
		if got, err := parseDisplay(in); err == nil {
			t.Errorf("parseDisplay(%q) = %+v, want an error", in, got)
		}
	}
}

// entry is one entry of an authority file.
func entry(family uint16, fields ...string) []byte {
	b := binary.BigEndian.AppendUint16(nil, family)
	for _, f := range fields {
		b = append(binary.BigEndian.AppendUint16(b, uint16(len(f))), f...)
	}
	return b
}

func TestFindCookie(t *testing.T) {
	const method = "MIT-MAGIC-COOKIE-1"
	one, two := strings.Repeat("1", 16), strings.Repeat("2", 16)
	file := bytes.Join([][]byte{
		entry(familyLocal, "other", "0", method, one),
		entry(familyLocal, "desk", "0", "XDM-AUTHORIZATION-1", one),
		entry(familyLocal, "desk", "0", method, two),
		entry(familyWild, "", "", method, one),
	}, nil)
	for _, c := range []struct{ host, number, want string }{
		{"desk", "0", two}, {"desk", "1", one}, {"other", "0", one},
	} {
		if got := findCookie(file, c.host, c.number); string(got) != c.want {
			t.Errorf("findCookie(%s, %s) = %q, want %q", c.host, c.number, got, c.want)
		}
	}
	short := entry(familyLocal, "desk", "0", method, "short")
	if got := findCookie(short, "desk", "0"); got != nil {
		t.Errorf("findCookie(short cookie) = %q, want none", got)
	}
}

func FuzzFindCookie(f *testing.F) {
	f.Add(entry(familyLocal, "desk", "0", "MIT-MAGIC-COOKIE-1", strings.Repeat("1", 16)))
	f.Fuzz(func(t *testing.T, file []byte) {
		if got := findCookie(file, "desk", "0"); got != nil && len(got) != 16 {
			t.Errorf("findCookie(%q) has %d bytes, want 16 or none", file, len(got))
		}
	})
}

func TestNoDisplay(t *testing.T) {
	for _, c := range []struct{ display, wayland, hint string }{
		{"", "", "DISPLAY is not set"},
		{"", "wayland-0", "Wayland"},
		{"unix:4242", "", "no X server answers"},
		{"nonsense", "", "named like"},
	} {
		t.Setenv("DISPLAY", c.display)
		t.Setenv("WAYLAND_DISPLAY", c.wayland)
		d, err := Open(Options{})
		if err != nil {
			t.Fatalf("Open() = %v", err)
		}
		_, err = d.Windows(t.Context())
		if !errors.Is(err, hardware.ErrNoDisplay) || !strings.Contains(err.Error(), c.hint) {
			t.Errorf("Windows() with DISPLAY=%q WAYLAND_DISPLAY=%q = %v, want %v and %q", c.display, c.wayland, err,
				hardware.ErrNoDisplay, c.hint)
		}
		u, err := OpenUsage(Options{})
		if err != nil {
			t.Fatalf("OpenUsage() = %v", err)
		}
		if _, err := u.Input(t.Context()); !errors.Is(err, hardware.ErrNoDisplay) {
			t.Errorf("Input() with DISPLAY=%q = %v, want %v", c.display, err, hardware.ErrNoDisplay)
		}
		if err := errors.Join(u.Close(), d.Close()); err != nil {
			t.Errorf("Close() = %v", err)
		}
	}
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Scale: -1}, {Scale: 17}, {Display: "nonsense"}} {
		if _, err := Open(o); err == nil {
			t.Errorf("Open(%+v) = nil, want an error", o)
		}
	}
}

func TestRGBA(t *testing.T) {
	for w := 1; w <= 9; w++ {
		src := make([]byte, 4*w*3)
		r := rand.New(rand.NewPCG(1, uint64(w)))
		for i := range src {
			src[i] = byte(r.Uint32())
		}
		img := rgba(src, w, 3)
		for i := 0; i < len(src); i += 4 {
			x, y := i/4%w, i/4/w
			want := color.RGBA{R: src[i+2], G: src[i+1], B: src[i], A: 255}
			if got := img.RGBAAt(x, y); got != want {
				t.Fatalf("rgba(%d wide) at %d,%d = %v, want %v", w, x, y, got, want)
			}
		}
	}
}

func BenchmarkRGBA(b *testing.B) {
	src := make([]byte, 4*1000*800)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		rgba(src, 1000, 800)
	}
}

func TestScale(t *testing.T) {
	for in, want := range map[string]float64{
		"":                                   1,
		"Xft.antialias:\t1\nXft.dpi:\t192\n": 2,
		"Xft.dpi: 120\n":                     1.25,
		"Xft.dpi: 0\n":                       1,
		"Xft.dpi: many\n":                    1,
		"*Xft.dpi.note: 192\n":               1,
	} {
		if got := xftScale(in); got != want {
			t.Errorf("xftScale(%q) = %v, want %v", in, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	list := []hardware.Window{{App: "Editor", Title: "line 4"}, {App: "Chat", Title: "花子"}, {App: "LINE", Title: "x"}}
	for query, want := range map[string]int{"line": 2, "edit": 0, "花": 1, " chat ": 1, "absent": -1, "": -1} {
		if got := match(list, query); got != want {
			t.Errorf("match(%q) = %d, want %d", query, got, want)
		}
	}
}

func TestText(t *testing.T) {
	for in, want := range map[string]string{"花子\x00": "花子", "caf\xe9": "café", "": ""} {
		if got := text([]byte(in)); got != want {
			t.Errorf("text(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{"chat\x00Chat\x00": "Chat", "chat\x00": "chat", "": ""} {
		if got := class([]byte(in)); got != want {
			t.Errorf("class(%q) = %q, want %q", in, got, want)
		}
	}
}

const (
	testMajor  = 131
	testSource = 7
)

// rawEvent is a raw event of XInput with the key code, or the button, where the
// protocol has it: after the time and before the device.
func rawEvent(kind uint16, detail uint32) []byte {
	b := make([]byte, 32+4*2)
	b[0], b[1] = kindGeneric, testMajor
	binary.LittleEndian.PutUint32(b[4:], 2)
	binary.LittleEndian.PutUint16(b[8:], kind)
	binary.LittleEndian.PutUint32(b[16:], detail)
	binary.LittleEndian.PutUint16(b[20:], testSource)
	binary.LittleEndian.PutUint32(b[32:], detail)
	return b
}

func counted(t *testing.T, stream []byte) *counter {
	t.Helper()
	c := &counter{}
	if err := c.consume(bufio.NewReader(bytes.NewReader(stream)), testMajor, devices{5: true}); !errors.Is(err,
		io.EOF) {
		t.Fatalf("consume() = %v, want %v", err, io.EOF)
	}
	return c
}

func TestCounterCounts(t *testing.T) {
	typed := rawEvent(rawKeyPress, 38)
	binary.LittleEndian.PutUint16(typed[20:], 5)
	stream := bytes.Join([][]byte{
		rawEvent(rawKeyPress, 38), typed, rawEvent(rawMotion, 0), rawEvent(rawButtonPress, 1),
		append([]byte{34}, make([]byte, 31)...), // a keyboard mapping event
		rawEvent(99, 1),
		rawEvent(rawKeyPress, 39),
	}, nil)
	c := counted(t, stream)
	if c.keys != 2 || c.mouse != 2 {
		t.Errorf("consume() counted %d keys and %d mouse events, want 2 and 2", c.keys, c.mouse)
	}
	now := c.lastKey.Add(3 * time.Second)
	if got, want := c.read(now), (hardware.Input{Keys: 2, Mouse: 2, SinceKey: 3 * time.Second}); got != want {
		t.Errorf("read() = %+v, want %+v", got, want)
	}
}

// Whichever key is pressed, the counter ends in the same state and looks at the
// same bytes: no key code leaves the stream.
func TestNoKeyCodeLeaves(t *testing.T) {
	var first *counter
	for code := range uint32(256) {
		event := rawEvent(rawKeyPress, code)
		plain := rawEvent(rawKeyPress, 0)
		if !bytes.Equal(event[:headerLen], plain[:headerLen]) ||
			!bytes.Equal(event[sourceAt:sourceAt+sourceLen], plain[sourceAt:sourceAt+sourceLen]) {
			t.Fatalf("the bytes of an event that are read depend on the key, want them the same for all")
		}
		c := counted(t, event)
		c.lastKey = time.Time{}
		if first == nil {
			first = c
		}
		if !reflect.DeepEqual(c, first) {
			t.Errorf("after key %d the counter is %+v, want %+v as after every key", code, c, first)
		}
	}
	if first.keys != 1 {
		t.Errorf("one key press was counted %d times, want once", first.keys)
	}
}

func FuzzCounter(f *testing.F) {
	f.Add(rawEvent(rawKeyPress, 38))
	f.Fuzz(func(t *testing.T, stream []byte) {
		c := &counter{}
		if err := c.consume(bufio.NewReader(bytes.NewReader(stream)), testMajor, nil); err == nil {
			t.Error("consume(stream) = nil, want an error at its end")
		}
		if most := uint64(len(stream) / 32); c.keys+c.mouse > most {
			t.Errorf("consume(%d bytes) counted %d events, want at most %d", len(stream), c.keys+c.mouse, most)
		}
	})
}

func TestProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/comm"); err == nil {
		if got := process(os.Getpid()); got == "" || got != strings.TrimSpace(got) {
			t.Errorf("process(self) = %q, want this program's name", got)
		}
	}
	if got := process(0); got != "" {
		t.Errorf("process(0) = %q, want none", got)
	}
}

func TestCookieFor(t *testing.T) {
	name := filepath.Join(t.TempDir(), "authority")
	cookie := strings.Repeat("c", 16)
	if err := os.WriteFile(name, entry(familyWild, "", "7", "MIT-MAGIC-COOKIE-1", cookie), 0o600); err != nil {
		t.Fatalf("WriteFile() = %v", err)
	}
	t.Setenv("XAUTHORITY", name)
	if got := cookieFor(address{number: "7"}); string(got) != cookie {
		t.Errorf("cookieFor(:7) = %q, want %q", got, cookie)
	}
	if got := cookieFor(address{number: "8"}); got != nil {
		t.Errorf("cookieFor(:8) = %q, want none", got)
	}
}
