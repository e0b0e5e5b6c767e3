// Package bus connects to a message bus of the desktop (D-Bus) for the drivers that ask
// one. [Dial] is all of it.
package bus

import (
	"context"

	"github.com/godbus/dbus/v5"
)

// Dial connects to the bus at an address and authenticates; an empty address is that of
// the session, which is never started for it. The connection is the caller's to close. It
// gives up when ctx ends.
func Dial(ctx context.Context, address string) (*dbus.Conn, error) {
	conn, err := open(address)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func open(address string) (*dbus.Conn, error) {
	if address == "" {
		return dbus.SessionBusPrivateNoAutoStartup()
	}
	return dbus.Dial(address)
}
