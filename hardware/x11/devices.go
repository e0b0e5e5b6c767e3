package x11

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// asker sends a request and returns its whole reply.
type asker func(request []byte) ([]byte, error)

// extension returns the number of an extension's requests; 0 if the server does
// not have it.
func (ask asker) extension(name string) (byte, error) {
	reply, err := ask(request(98, 0, append(le16(uint16(len(name)), 0), name...)))
	if err != nil || reply[8] == 0 {
		return 0, err
	}
	return reply[9], nil
}

// xinput negotiates XInput 2, as every client must, and returns its number.
func (ask asker) xinput() (byte, error) {
	major, err := ask.extension("XInputExtension")
	if err != nil {
		return 0, err
	}
	if major == 0 {
		return 0, noXInput()
	}
	reply, err := ask(request(major, xiQueryVersion, le16(2, 2)))
	if err != nil {
		return 0, err
	}
	if v := binary.LittleEndian.Uint16(reply[8:]); v < 2 {
		return 0, noXInput()
	}
	return major, nil
}

// Requests of XInput 2 and of SYNC.
const (
	xiSelectEvents = 46
	xiQueryVersion = 47
	xiQueryDevice  = 48
	xiGetProperty  = 59

	syncInitialize   = 0
	syncListCounters = 1
	syncQueryCounter = 5
)

// devices are ids of input devices.
type devices map[uint16]bool

// noHands asks which devices no person operates. Those are the masters, which
// repeat other devices, and the devices of the extension XTEST, through which
// programs type, Kehai's own typist among them. The server marks the latter with
// a property.
func (ask asker) noHands(xinput byte) (devices, error) {
	const mark = "XTEST Device"
	atom, err := ask(request(16, 0, append(le16(uint16(len(mark)), 0), mark...)))
	if err != nil {
		return nil, err
	}
	reply, err := ask(request(xinput, xiQueryDevice, le16(0, 0)))
	if err != nil {
		return nil, err
	}
	found := devices{}
	list, err := parseDevices(reply)
	if err != nil {
		return nil, err
	}
	for _, d := range list {
		if found[d.id] = d.master; d.master {
			continue
		}
		// The first word of the property, of any type.
		body := binary.LittleEndian.AppendUint32(le16(d.id, 0), binary.LittleEndian.Uint32(atom[8:]))
		body = binary.LittleEndian.AppendUint32(body, 0)
		body = binary.LittleEndian.AppendUint32(body, 0)
		body = binary.LittleEndian.AppendUint32(body, 1)
		if reply, err = ask(request(xinput, xiGetProperty, body)); err != nil {
			return nil, err
		}
		items := binary.LittleEndian.Uint32(reply[16:])
		found[d.id] = items > 0 && len(reply) > 32 && reply[32] == 1
	}
	return found, nil
}

// device describes an input device.
type device struct {
	id     uint16
	master bool
}

// parseDevices reads the reply to XIQueryDevice.
func parseDevices(reply []byte) (list []device, err error) {
	in := cursor{rest: reply}
	head := in.take(32)
	for range binary.LittleEndian.Uint16(head[8:]) {
		const master = 2 // the highest kind of master: 1 for pointers, 2 for keyboards
		d := in.take(12)
		list = append(list, device{id: binary.LittleEndian.Uint16(d),
			master: binary.LittleEndian.Uint16(d[2:]) <= master})
		in.take(padded(int(binary.LittleEndian.Uint16(d[8:])))) // the name
		for range binary.LittleEndian.Uint16(d[6:]) {
			class := in.take(4)
			in.take(4*int(binary.LittleEndian.Uint16(class[2:])) - 4)
		}
		if in.short {
			return nil, errShort("XIQueryDevice")
		}
	}
	return list, nil
}

// idleCounter counts the milliseconds since a device was last used.
type idleCounter struct {
	device  uint16
	counter uint32
}

// parseCounters reads the reply to ListSystemCounters and returns those of
// devices.
func parseCounters(reply []byte) (list []idleCounter, err error) {
	in := cursor{rest: reply}
	head := in.take(32)
	for range binary.LittleEndian.Uint32(head[8:]) {
		c := in.take(14)
		size := int(binary.LittleEndian.Uint16(c[12:]))
		name := string(in.take(padded(14+size) - 14)[:size])
		if in.short {
			return nil, errShort("ListSystemCounters")
		}
		if number, ok := strings.CutPrefix(name, "DEVICEIDLETIME "); ok {
			if id, err := strconv.ParseUint(number, 10, 16); err == nil {
				list = append(list, idleCounter{uint16(id), binary.LittleEndian.Uint32(c)})
			}
		}
	}
	return list, nil
}

// parseIdle reads the reply to QueryCounter.
func parseIdle(reply []byte) time.Duration {
	in := cursor{rest: reply}
	head := in.take(32)
	ms := int64(binary.LittleEndian.Uint32(head[8:]))<<32 | int64(binary.LittleEndian.Uint32(head[12:]))
	const longest = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(max(ms, 0), longest)) * time.Millisecond
}

// cursor splits a reply into parts.
type cursor struct {
	rest  []byte
	short bool // the reply ended too early
}

// take returns the next n bytes; zeros past the end of the reply.
func (c *cursor) take(n int) []byte {
	if n < 0 || n > len(c.rest) {
		c.short, c.rest = true, nil
		return make([]byte, max(n, 0))
	}
	part := c.rest[:n]
	c.rest = c.rest[n:]
	return part
}

func padded(n int) int { return (n + 3) &^ 3 }

func errShort(name string) error {
	return fmt.Errorf("x11: the X server's answer to %s is cut short", name)
}
