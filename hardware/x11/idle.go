package x11

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// idler knows for how long nobody has used a keyboard or a mouse. The idle time of
// the screen saver does not tell people from programs that type; the server's
// counters of single devices (SYNC) do. It has a connection of its own, since xgb
// supports neither extension.
type idler struct {
	display string

	mu     sync.Mutex
	closed bool
	conn   net.Conn // nil while there is none
	ask    asker
	xinput byte
	sync   byte
	known  []idleCounter // of all devices, those in others included
	others devices       // those that no person operates
}

// since returns the time since a person last used a device; ok is false if the
// server does not count that.
func (i *idler) since(ctx context.Context) (idle time.Duration, ok bool, err error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.closed {
		return 0, false, fmt.Errorf("x11: the usage driver is closed: %w", hardware.ErrUnavailable)
	}
	fresh := i.conn == nil
	idle, ok, err = i.read(ctx)
	if err != nil && !fresh && ctx.Err() == nil { // the server went away and may be back
		idle, ok, err = i.read(ctx)
	}
	return idle, ok, err
}

// read asks once. After an error the connection is closed.
func (i *idler) read(ctx context.Context) (idle time.Duration, ok bool, err error) {
	var addr address
	fresh := i.conn == nil
	if fresh {
		if i.conn, addr, err = dial(ctx, i.display); err != nil {
			i.conn = nil
			return 0, false, err
		}
	}
	conn := i.conn
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if fresh {
		err = i.greet(addr)
	}
	if err == nil {
		idle, ok, err = i.smallest()
	}
	if !stop() && err != nil {
		err = ctx.Err()
	}
	if err != nil || ctx.Err() != nil {
		i.drop()
	}
	return idle, ok, err
}

func (i *idler) drop() {
	if i.conn != nil {
		_ = i.conn.Close()
	}
	i.conn, i.known, i.others = nil, nil, nil
}

// greet sets up the connection. Missing extensions stay at 0.
func (i *idler) greet(addr address) (err error) {
	r := bufio.NewReaderSize(i.conn, 4<<10)
	if _, err = greet(i.conn, r, addr); err != nil {
		return err
	}
	conn := i.conn
	i.ask = func(req []byte) ([]byte, error) { return ask(conn, r, req) }
	i.xinput, i.sync = 0, 0
	if i.sync, err = i.ask.extension("SYNC"); err != nil || i.sync == 0 {
		return err
	}
	if i.xinput, err = i.ask.xinput(); errors.Is(err, hardware.ErrUnavailable) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = i.ask(request(i.sync, syncInitialize, []byte{3, 0}))
	return err
}

// smallest returns the smallest idle time of the devices that people use. The list
// of counters changes when a device comes or goes.
func (i *idler) smallest() (idle time.Duration, ok bool, err error) {
	if i.sync == 0 || i.xinput == 0 {
		return 0, false, nil
	}
	reply, err := i.ask(request(i.sync, syncListCounters, nil))
	if err != nil {
		return 0, false, err
	}
	list, err := parseCounters(reply)
	if err != nil || len(list) == 0 {
		return 0, false, err
	}
	if !slices.Equal(list, i.known) {
		if i.others, err = i.ask.noHands(i.xinput); err != nil {
			return 0, false, err
		}
		i.known = list
	}
	for _, c := range list {
		if i.others[c.device] {
			continue
		}
		if reply, err = i.ask(request(i.sync, syncQueryCounter,
			binary.LittleEndian.AppendUint32(nil, c.counter))); err != nil {
			return 0, false, err
		}
		if d := parseIdle(reply); !ok || d < idle {
			idle, ok = d, true
		}
	}
	return idle, ok, nil
}

func (i *idler) close() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.closed = true
	i.drop()
}
