// Package freedesktop shows notices on the desktops of Linux and the BSDs,
// through the notification service of the session bus
// (org.freedesktop.Notifications). It is pure Go and builds everywhere.
//
// The main type is [Notifier], a hardware.Notifier. It opens a new connection for
// each notice, of which there are a few an hour. So a restarted desktop is found
// again, and nothing stays open. Without a session bus, as on a server, each call
// fails with hardware.ErrUnavailable and does nothing else.
package freedesktop
