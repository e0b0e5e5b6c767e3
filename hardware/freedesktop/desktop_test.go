//go:build desktop && linux

package freedesktop

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/hardware/internal/bus"
)

// shown is one notice as the service gets it.
type shown struct {
	App, Icon, Title, Body string
	Replaces               uint32
	Actions                []string
	Hints                  map[string]dbus.Variant
	Expire                 int32
}

// daemon is a notification service made up by the test.
type daemon struct {
	can     []string
	notices chan shown
	hang    chan struct{} // not nil: notices are taken when it is closed
	refuse  bool
}

func (d *daemon) start(t *testing.T, address string) {
	t.Helper()
	conn, err := bus.Dial(t.Context(), address)
	if err != nil {
		t.Fatalf("Dial() = %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	err = conn.ExportMethodTable(map[string]any{
		"GetCapabilities": func() ([]string, *dbus.Error) { return d.can, nil },
		"GetServerInformation": func() (string, string, string, string, *dbus.Error) {
			return "made-up", "us", "1",
				"1.2", nil
		},
		"Notify": func(app string, replaces uint32, icon, title, body string, actions []string,
			hints map[string]dbus.Variant, expire int32) (uint32, *dbus.Error) {
			if d.refuse {
				return 0, dbus.NewError("org.freedesktop.Notifications.Error.ExcessNotificationGeneration",
					[]any{"too many"})
			}
			if d.hang != nil {
				<-d.hang
			}
			d.notices <- shown{app, icon, title, body, replaces, actions, hints, expire}
			return 7, nil
		},
	}, path, service)
	if err != nil {
		t.Fatalf("export: %v", err)
	}
	reply, err := conn.RequestName(service, dbus.NameFlagDoNotQueue)
	if err != nil || reply != dbus.RequestNameReplyPrimaryOwner {
		t.Fatalf("RequestName() = %v, %v", reply, err)
	}
}

func TestNotify(t *testing.T) {
	address := desktop.StartSessionBus(t)
	n := Notifier{Address: address}
	if err := n.Notify(t.Context(), "T", "B"); !errors.Is(err, hardware.ErrUnavailable) ||
		!strings.Contains(err.Error(), "notification daemon") {
		t.Errorf("Notify(no service) = %v, want %v that names what is missing", err, hardware.ErrUnavailable)
	}
	d := &daemon{can: []string{"body"}, notices: make(chan shown, 1)}
	d.start(t, address) // a service that comes later is found
	if name, err := n.Check(t.Context()); err != nil || name != "made-up" {
		t.Errorf("Check() = %q, %v, want made-up", name, err)
	}
	for _, tt := range []struct {
		can        []string
		body, want string
	}{
		{[]string{"body"}, "Since 14:03 & <b>more</b>.", "Since 14:03 & <b>more</b>."},
		{[]string{"actions", "body", "body-markup"}, "眠そう & <b>more</b>.", "眠そう &amp; &lt;b&gt;more&lt;/b&gt;."},
	} {
		d.can = tt.can
		if err := n.Notify(t.Context(), "You look drowsy", tt.body); err != nil {
			t.Fatalf("Notify() = %v, want none", err)
		}
		want := shown{App: "Kehai", Title: "You look drowsy", Body: tt.want, Actions: []string{},
			Hints: map[string]dbus.Variant{"urgency": dbus.MakeVariant(byte(1))}, Expire: -1}
		if got := <-d.notices; !reflect.DeepEqual(got, want) {
			t.Errorf("the service of %v got %+v, want %+v", tt.can, got, want)
		}
	}
	d.refuse = true
	if err := n.Notify(t.Context(), "T", "B"); !errors.Is(err, hardware.ErrUnavailable) ||
		!strings.Contains(err.Error(), "too many") {
		t.Errorf("Notify(refused) = %v, want %v with the reason", err, hardware.ErrUnavailable)
	}
}

// A service that hangs costs the caller its deadline and no more.
func TestNotifyHangs(t *testing.T) {
	address := desktop.StartSessionBus(t)
	d := &daemon{notices: make(chan shown, 1), hang: make(chan struct{})}
	d.start(t, address)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := (Notifier{Address: address}).Notify(ctx, "T", "B"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Notify(hanging) = %v, want %v", err, context.DeadlineExceeded)
	}
	close(d.hang)
}
