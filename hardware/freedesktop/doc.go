// Package freedesktop shows notices on the desktops of Linux and the BSDs,
// through the notification service of the session bus
// (org.freedesktop.Notifications). It is pure Go and builds everywhere.
//
// The main type is [Notifier], a hardware.Notifier. It opens a new connection for
// each notice: there are only a few an hour. So it finds a restarted desktop again,
// and keeps nothing open. Without a session bus, as on a server, each call fails
// with hardware.ErrUnavailable and does nothing else.
package freedesktop
