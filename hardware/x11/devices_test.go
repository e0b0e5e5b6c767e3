package x11

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kehai-run/kehai/hardware"
)

// le32 appends words.
func le32(b []byte, list ...uint32) []byte {
	for _, v := range list {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	return b
}

// head is the beginning of a reply, with two words at byte 8.
func head(words ...uint32) []byte {
	return append(le32(make([]byte, 8), words...), make([]byte, 24-4*len(words))...)
}

// listedDevice is a device as XIQueryDevice lists it, with one class of twelve
// bytes.
func listedDevice(id, use uint16, name string) []byte {
	b := append(le16(id, use, 0, 1, uint16(len(name)), 0), name...)
	b = append(b, make([]byte, padded(len(name))-len(name))...)
	return append(b, append(le16(0, 3), make([]byte, 8)...)...)
}

// listedCounter is a counter as ListSystemCounters lists it.
func listedCounter(counter uint32, name string) []byte {
	b := append(le32(nil, counter, 0, 4), le16(uint16(len(name)))...)
	b = append(b, name...)
	return append(b, make([]byte, padded(len(b))-len(b))...)
}

func deviceReply() []byte {
	return bytes.Join([][]byte{
		head(4), listedDevice(2, 1, "master pointer"), listedDevice(3, 2, "master keyboard"),
		listedDevice(5, 4, "typist"), listedDevice(7, 4, "keyboard"),
	}, nil)
}

func counterReply() []byte {
	return bytes.Join([][]byte{
		head(5), listedCounter(100, "SERVERTIME"), listedCounter(101, "DEVICEIDLETIME 3"),
		listedCounter(102, "DEVICEIDLETIME 5"), listedCounter(103, "DEVICEIDLETIME 7"),
		listedCounter(104, "IDLETIME"),
	}, nil)
}

func TestParseDevices(t *testing.T) {
	want := []device{{2, true}, {3, true}, {5, false}, {7, false}}
	if got, err := parseDevices(deviceReply()); err != nil || !slices.Equal(got, want) {
		t.Errorf("parseDevices() = %v, %v, want %v", got, err, want)
	}
	if got, err := parseDevices(deviceReply()[:100]); err == nil {
		t.Errorf("parseDevices(cut) = %v, want an error", got)
	}
}

func TestParseCounters(t *testing.T) {
	want := []idleCounter{{3, 101}, {5, 102}, {7, 103}}
	if got, err := parseCounters(counterReply()); err != nil || !slices.Equal(got, want) {
		t.Errorf("parseCounters() = %v, %v, want %v", got, err, want)
	}
	if got, err := parseCounters(counterReply()[:70]); err == nil {
		t.Errorf("parseCounters(cut) = %v, want an error", got)
	}
}

func TestParseIdle(t *testing.T) {
	for _, c := range []struct {
		high, low uint32
		want      time.Duration
	}{
		{0, 1500, 1500 * time.Millisecond}, {1, 0, 1 << 32 * time.Millisecond}, {1 << 31, 5, 0},
		{1<<31 - 1, 0, 9223372036854 * time.Millisecond},
	} {
		if got := parseIdle(head(c.high, c.low)); got != c.want {
			t.Errorf("parseIdle(%d, %d) = %v, want %v", c.high, c.low, got, c.want)
		}
	}
}

// server answers like one with four devices. Device 5 is marked.
func server(t *testing.T, idle map[uint32]uint32, has map[string]byte) asker {
	return func(req []byte) ([]byte, error) {
		switch {
		case req[0] == 98:
			name := req[8 : 8+binary.LittleEndian.Uint16(req[4:])]
			reply := head()
			if major := has[string(name)]; major != 0 {
				reply[8], reply[9] = 1, major
			}
			return reply, nil
		case req[0] == 16:
			return head(300), nil
		case req[0] == has["XInputExtension"] && req[1] == xiQueryVersion:
			return head(2), nil
		case req[0] == has["XInputExtension"] && req[1] == xiQueryDevice:
			return deviceReply(), nil
		case req[0] == has["XInputExtension"] && req[1] == xiGetProperty:
			if atom := binary.LittleEndian.Uint32(req[8:]); atom != 300 {
				t.Errorf("asked for property %d, want 300", atom)
			}
			if binary.LittleEndian.Uint16(req[4:]) != 5 {
				return head(), nil
			}
			return append(head(19, 0, 1), 1, 0, 0, 0), nil
		case req[0] == has["SYNC"] && req[1] == syncListCounters:
			return counterReply(), nil
		case req[0] == has["SYNC"] && req[1] == syncQueryCounter:
			return head(0, idle[binary.LittleEndian.Uint32(req[4:])]), nil
		}
		return nil, errors.New("unexpected request")
	}
}

// The idle time is that of the one device that hands use.
func TestIdleOfHands(t *testing.T) {
	has := map[string]byte{"XInputExtension": 131, "SYNC": 134}
	i := idler{ask: server(t, map[uint32]uint32{101: 10, 102: 10, 103: 70000}, has), xinput: 131, sync: 134}
	if got, ok, err := i.smallest(); err != nil || !ok || got != 70*time.Second {
		t.Errorf("smallest() = %v, %v, %v, want that of device 7, 70 s", got, ok, err)
	}
	i.sync = 0
	if got, ok, err := i.smallest(); err != nil || ok {
		t.Errorf("smallest() without SYNC = %v, %v, %v, want not known", got, ok, err)
	}
	if major, err := server(t, nil, has).xinput(); err != nil || major != 131 {
		t.Errorf("xinput() = %d, %v, want 131", major, err)
	}
	if major, err := server(t, nil, nil).xinput(); !errors.Is(err, hardware.ErrUnavailable) {
		t.Errorf("xinput() of a server without = %d, %v, want %v", major, err, hardware.ErrUnavailable)
	}
}

func FuzzReplies(f *testing.F) {
	f.Add(deviceReply())
	f.Add(counterReply())
	f.Add([]byte("xterm\x00XTerm\x00\xe9"))
	f.Fuzz(func(t *testing.T, reply []byte) {
		if list, err := parseDevices(reply); err == nil && len(list)*12 > len(reply) {
			t.Errorf("parseDevices(%d bytes) = %d devices, want no more than there are", len(reply), len(list))
		}
		if list, err := parseCounters(reply); err == nil && len(list)*14 > len(reply) {
			t.Errorf("parseCounters(%d bytes) = %d counters, want no more than there are", len(reply), len(list))
		}
		if d := parseIdle(reply); d < 0 {
			t.Errorf("parseIdle(%d bytes) = %v, want 0 or more", len(reply), d)
		}
		if list := words(reply); len(list)*4 > len(reply) || len(list) > 0 && list[0] != firstWord(reply) {
			t.Errorf("words(%d bytes) = %d numbers", len(reply), len(list))
		}
		if a, b := text(reply), class(reply); !utf8.ValidString(a) || !utf8.ValidString(b) {
			t.Errorf("text(%x) = %q, class = %q, want UTF-8", reply, a, b)
		}
	})
}
