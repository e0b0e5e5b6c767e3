//go:build real

package real

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// clientPort is the port that XMPP clients try without being told.
const clientPort = 5222

const secret = "loopback" // of everybody, on a server that only this machine reaches

// serverConfig has the friends in a component (XEP-0114), which needs no accounts.
const serverConfig = `run_as_root = true
data_path = %[1]q
certificates = %[1]q
interfaces = { "127.0.0.1" }
c2s_ports = { %[2]d }
s2s_ports = { }
component_ports = { %[3]d }
component_interfaces = { "127.0.0.1" }
http_ports = { %[4]d }
http_interfaces = { "127.0.0.1" }
https_ports = { }
c2s_require_encryption = false
allow_unencrypted_plain_auth = true
consider_websocket_secure = true
http_cors_override = { websocket = { enabled = true } }
modules_enabled = { "roster", "saslauth", "tls", "disco", "ping", "pep", "private", "vcard4", "vcard_legacy",
	"websocket", "smacks"%[5]s }
modules_disabled = { "s2s" }
authentication = "internal_plain"
log = { { levels = { min = "info" }, to = "console" } }
VirtualHost "localhost"
	ssl = { key = "%[1]s/localhost.key"; certificate = "%[1]s/localhost.crt" }
Component "rooms.localhost" "muc"
	muc_room_locking = false
Component "friends.localhost"
	component_secret = "loopback"
`

// people are the friends, by the names that clients show.
var people = map[string]string{"Hana": "hana@friends.localhost", "Ken Tanaka": "ken@friends.localhost"}

// server is an XMPP server with the owner's account, and the friends' side of it.
type server struct {
	http  int    // port of its websocket
	certs string // folder that holds its certificate, as authorities are kept
	mu    sync.Mutex
	conn  net.Conn
	said  int
}

func startServer(t *testing.T, desk *desktop.Desktop, modules string) *server {
	t.Helper()
	dir := t.TempDir()
	s := &server{http: freePort(t), certs: filepath.Join(dir, "authorities")}
	component := freePort(t)
	makeCertificate(t, dir, s.certs)
	write(t, filepath.Join(dir, "localhost", "accounts", "me.dat"), `return { ["password"] = "`+secret+`" };`)
	roster := "return { [false] = { version = 1; pending = {}; };"
	for name, address := range people {
		roster += fmt.Sprintf("[%q] = { subscription = \"both\"; groups = {}; name = %q; };", address, name)
	}
	write(t, filepath.Join(dir, "localhost", "roster", "me.dat"), roster+"}")
	config := filepath.Join(dir, "prosody.cfg.lua")
	write(t, config, fmt.Sprintf(serverConfig, dir, clientPort, component, s.http, modules))
	p := desk.Run(t, "prosody", "--config", config, "-F")
	desktop.Eventually(t, "the friends' component is connected", func() bool {
		if !p.Running() {
			t.Fatalf("prosody ended (is port %d free?):\n%s", clientPort, p.Output())
		}
		return s.connect(component) == nil
	})
	t.Cleanup(func() { _ = s.conn.Close() })
	return s
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// makeCertificate makes the server's certificate. Clients accept only what an authority
// vouches for: they are shown a folder of authorities that holds this one alone.
func makeCertificate(t *testing.T, dir, authorities string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"},
		DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(48 * time.Hour),
		IsCA:     true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	write(t, filepath.Join(dir, "localhost.key"), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
		Bytes: private})))
	for _, path := range []string{filepath.Join(dir, "localhost.crt"), filepath.Join(authorities, "localhost.pem"),
		filepath.Join(authorities, "ca-certificates.crt")} {
		write(t, path, public)
	}
}

// connect opens the friends' component.
func (s *server) connect(port int) error {
	conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return err
	}
	fmt.Fprint(conn, "<stream:stream xmlns='jabber:component:accept' "+
		"xmlns:stream='http://etherx.jabber.org/streams' to='friends.localhost'>")
	in := xml.NewDecoder(conn)
	id := ""
	for id == "" {
		token, err := in.Token()
		if err != nil {
			_ = conn.Close()
			return err
		}
		if e, ok := token.(xml.StartElement); ok {
			id = attribute(e, "id")
		}
	}
	fmt.Fprintf(conn, "<handshake>%x</handshake>", sha1.Sum([]byte(id+secret)))
	s.conn = conn
	go s.answer(in)
	return nil
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name && a.Name.Space == "" {
			return a.Value
		}
	}
	return ""
}

// answer does what is expected of a friend who only talks: knows no question, and is there.
func (s *server) answer(in *xml.Decoder) {
	for {
		token, err := in.Token()
		if err != nil {
			return
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		from, to, kind := attribute(e, "from"), attribute(e, "to"), attribute(e, "type")
		switch {
		case e.Name.Local == "iq" && (kind == "get" || kind == "set"):
			s.send("<iq type='error' id='%s' from='%s' to='%s'><error type='cancel'><service-unavailable "+
				"xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>", attribute(e, "id"), to, from)
		case e.Name.Local == "presence" && kind == "probe":
			s.send("<presence from='%s/home' to='%s'/>", to, from)
		}
	}
}

// send writes a stanza; its values are escaped.
func (s *server) send(form string, values ...string) {
	var escaped []any
	for _, v := range values {
		var b bytes.Buffer
		_ = xml.EscapeText(&b, []byte(v)) // a buffer takes everything
		escaped = append(escaped, b.String())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(s.conn, form, escaped...)
}

// say has a friend write to the owner.
func (s *server) say(who, text string) {
	s.said++
	s.send("<message type='chat' from='%s/home' to='me@localhost' id='%s'><body>%s</body></message>", people[who],
		fmt.Sprintf("m%d", s.said), text)
}

// join has everybody enter a room.
func (s *server) join(room string) {
	for who, address := range people {
		s.send("<presence from='%s/home' to='%s'><x xmlns='http://jabber.org/protocol/muc'/></presence>", address,
			roomOf(room)+"/"+who)
	}
}

// sayIn has a friend write in a room.
func (s *server) sayIn(room, who, text string) {
	s.said++
	s.send("<message type='groupchat' from='%s/home' to='%s' id='%s'><body>%s</body></message>", people[who],
		roomOf(room), fmt.Sprintf("m%d", s.said), text)
}

func roomOf(name string) string { return strings.ToLower(name) + "@rooms.localhost" }
