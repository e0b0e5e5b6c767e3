package x11

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/hardware"
)

// address is the parsed name of a display.
type address struct {
	network, path string // of net.Dial
	host          string // "" on this machine
	number        string // of the display, as in authority files
	screen        int
}

var errDisplayName = errors.New(`a display is named like ":0" or "host:0.0"`)

// parseDisplay understands [network/][host]:number[.screen] and the path of a
// socket followed by :number, which XQuartz uses.
func parseDisplay(name string) (address, error) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 0 {
		return address{}, errDisplayName
	}
	host, rest := name[:colon], name[colon+1:]
	number, screen, dotted := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(number, 10, 16)
	if err != nil || n > 65535-6000 {
		return address{}, errDisplayName
	}
	a := address{number: strconv.FormatUint(n, 10)}
	if dotted {
		s, err := strconv.ParseUint(screen, 10, 8)
		if err != nil {
			return address{}, errDisplayName
		}
		a.screen = int(s)
	}
	if strings.HasPrefix(host, "/") {
		a.network, a.path = "unix", name
		return a, nil
	}
	network, host := cutNetwork(host)
	if host == "" || host == "unix" {
		a.network, a.path = "unix", "/tmp/.X11-unix/X"+a.number
		return a, nil
	}
	a.network, a.host = network, host
	a.path = net.JoinHostPort(strings.Trim(host, "[]"), strconv.FormatUint(6000+n, 10))
	return a, nil
}

func cutNetwork(host string) (network, rest string) {
	if n, h, ok := strings.Cut(host, "/"); ok && (n == "tcp" || n == "tcp4" || n == "tcp6") {
		return n, h
	}
	return "tcp", host
}

// dial connects to the server of a display. An empty name means $DISPLAY. Errors
// wrap hardware.ErrNoDisplay.
func dial(ctx context.Context, name string) (net.Conn, address, error) {
	if name == "" {
		name = os.Getenv("DISPLAY")
	}
	if name == "" {
		return nil, address{}, noDisplay(os.Getenv("WAYLAND_DISPLAY") != "")
	}
	a, err := parseDisplay(name)
	if err != nil {
		return nil, a, fmt.Errorf("x11: display %q: %w: %w", name, err, hardware.ErrNoDisplay)
	}
	var d net.Dialer
	conn, err := d.DialContext(ctx, a.network, a.path)
	if err != nil && a.network == "unix" && ctx.Err() == nil {
		// A server in another mount namespace is reached by its abstract socket.
		if c, e := d.DialContext(ctx, "unix", "@"+a.path); e == nil {
			conn, err = c, nil
		}
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil, a, ctx.Err()
		}
		return nil, a, fmt.Errorf("x11: no X server answers at display %q (start it, or set DISPLAY to the one "+
			"that runs): %w: %w", name, err, hardware.ErrNoDisplay)
	}
	return conn, a, nil
}

func noDisplay(wayland bool) error {
	if wayland {
		return fmt.Errorf("x11: this is a Wayland session without X (log in to an X11/Xorg session, where windows "+
			"may be captured): %w", hardware.ErrNoDisplay)
	}
	return fmt.Errorf("x11: DISPLAY is not set (start from inside the desktop session, or set DISPLAY, often to "+
		":0): %w", hardware.ErrNoDisplay)
}

// cookieFor looks up the MIT-MAGIC-COOKIE-1 of a display; nil means to connect
// without one.
func cookieFor(a address) []byte {
	name := os.Getenv("XAUTHORITY")
	if name == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil
		}
		name = filepath.Join(home, ".Xauthority")
	}
	file, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	host := a.host
	if host == "" || host == "localhost" {
		if host, err = os.Hostname(); err != nil {
			return nil
		}
	}
	return findCookie(file, host, a.number)
}

// Address families of an authority file.
const (
	familyLocal = 256
	familyWild  = 65535
)

// findCookie returns the first matching cookie of an authority file. An entry
// is a big-endian family and four counted strings: address, display number,
// method, data.
func findCookie(file []byte, host, number string) []byte {
	for len(file) >= 2 {
		family := int(file[0])<<8 | int(file[1])
		file = file[2:]
		var field [4][]byte
		for i := range field {
			if len(file) < 2 {
				return nil
			}
			n := int(file[0])<<8 | int(file[1])
			if len(file) < 2+n {
				return nil
			}
			field[i], file = file[2:2+n], file[2+n:]
		}
		fits := family == familyWild || family == familyLocal && string(field[0]) == host
		if fits && (len(field[1]) == 0 || string(field[1]) == number) &&
			string(field[2]) == "MIT-MAGIC-COOKIE-1" && len(field[3]) == 16 {
			return field[3]
		}
	}
	return nil
}
