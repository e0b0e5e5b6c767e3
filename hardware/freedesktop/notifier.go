package freedesktop

import (
	"context"
	"errors"
	"fmt"
	"html"
	"slices"

	"github.com/godbus/dbus/v5"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/internal/bus"
)

// Notifier shows notices. The zero value uses the bus of the session in which the
// program was started. Its methods may be called concurrently.
type Notifier struct {
	// Address is the session bus. Empty is $DBUS_SESSION_BUS_ADDRESS.
	Address string
}

var _ hardware.Notifier = Notifier{}

// The service, as the Desktop Notifications Specification names it.
const (
	service = "org.freedesktop.Notifications"
	path    = "/org/freedesktop/Notifications"
)

// Notify implements [hardware.Notifier]. The service decides how long the
// notice stays.
func (n Notifier) Notify(ctx context.Context, title, body string) error {
	return n.ask(ctx, func(o dbus.BusObject) error {
		var can []string
		if err := o.CallWithContext(ctx, service+".GetCapabilities", 0).Store(&can); err != nil {
			return err
		}
		if slices.Contains(can, "body-markup") {
			body = html.EscapeString(body)
		}
		const (
			fresh   = uint32(0) // replaces no other notice
			itsTime = int32(-1)
		)
		hints := map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1))} // normal
		return o.CallWithContext(ctx, service+".Notify", 0, "Kehai", fresh, "", title, body, []string{}, hints,
			itsTime).Err
	})
}

// Check returns the name of the service that shows notices, without showing one.
// The bus starts the service if it is installed but not running.
func (n Notifier) Check(ctx context.Context) (name string, err error) {
	err = n.ask(ctx, func(o dbus.BusObject) error {
		var vendor, version, spec string
		return o.CallWithContext(ctx, service+".GetServerInformation", 0).Store(&name, &vendor, &version, &spec)
	})
	return name, err
}

func (n Notifier) ask(ctx context.Context, question func(dbus.BusObject) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	conn, err := bus.Dial(ctx, n.Address)
	if err != nil {
		return unavailable(ctx, "there is no session bus, so no desktop that shows notices (start from inside the "+
			"desktop session, or set focus.notify to none)", err)
	}
	defer func() { _ = conn.Close() }()
	if err := question(conn.Object(service, path)); err != nil {
		what := "the desktop's notification service did not take the notice"
		if nobody(err) {
			what = "nothing on this desktop shows notices (install a notification daemon such as dunst or " +
				"mako-notifier, or set focus.notify to none)"
		}
		return unavailable(ctx, what, err)
	}
	return nil
}

// nobody reports whether err is the bus's answer that no one owns the service's
// name.
func nobody(err error) bool {
	var e dbus.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Name == "org.freedesktop.DBus.Error.ServiceUnknown" ||
		e.Name == "org.freedesktop.DBus.Error.NameHasNoOwner"
}

func unavailable(ctx context.Context, what string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("freedesktop: %s: %w: %w", what, err, hardware.ErrUnavailable)
}
