//go:build unix

package desktop

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
)

// busConfig allows everything on the bus and starts no service: only the test
// puts services on it.
const busConfig = `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>%s</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>`

// StartSessionBus starts a message bus without services, for a test that needs no
// display.
func StartSessionBus(t testing.TB) (address string) {
	t.Helper()
	dir := t.TempDir()
	socket, config := filepath.Join(dir, "bus"), filepath.Join(dir, "bus.conf")
	address = "unix:path=" + socket
	if err := os.WriteFile(config, fmt.Appendf(nil, busConfig, address), 0o600); err != nil {
		t.Fatalf("WriteFile(bus.conf) = %v", err)
	}
	p := run(t, os.Environ(), nil, "dbus-daemon", "--nofork", "--config-file="+config)
	awaitBus(t, p, socket)
	return address
}

// awaitBus waits until a message bus takes connections: its socket is there a moment before.
func awaitBus(t testing.TB, p *Process, socket string) {
	t.Helper()
	Eventually(t, "the message bus listens", func() bool {
		if !p.Running() {
			t.Fatalf("dbus-daemon ended:\n%s", p.Output())
		}
		c, err := net.Dial("unix", socket)
		if err != nil {
			return false
		}
		c.Close()
		return true
	})
}
