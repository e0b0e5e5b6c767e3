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

// idler knows how long no hand touched a keyboard or a mouse. The idle time of
// the screen saver does not tell hands from programs that type; the server's
// counters of single devices (SYNC) do. It has a connection of its own, since
// xgb does not speak of either extension.
type idler struct {
	display string

	mu     sync.Mutex
	closed bool
	conn   net.Conn // nil while there is none
	ask    asker
	xinput byte
	sync   byte
	known  []idleCounter // of which others are noHands
	others devices
}

// since returns the time since the last use of a device that hands use; ok is
// false where the server does not count that.
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

// greet opens the conversation. Extensions that are missing are left at 0.
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

// smallest asks every device that hands use. A device that comes or goes changes
// the list of counters.
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
