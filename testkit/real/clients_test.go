//go:build real

package real

import (
	"encoding/base64"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// client is a chat application of others.
type client struct {
	name    string
	window  string // what kehai watch calls it
	modules string // of the server, that it needs
	// Where things stand in a window of this size: the field, the transcript, the first entry
	// of the list of chats, and the way back to that list where it does not stand beside.
	size                   image.Point
	field, pane, top, back image.Point
	narrow                 image.Point // another size; the field keeps its distance to the bottom
	room                   image.Point // in the list, where it is in one from the start
	start                  func(r *rig, dark bool) *desktop.Process
}

var clients = []client{
	{name: "converse", window: "Converse", modules: `, "mam"`, start: startConverse, size: image.Pt(1000, 760),
		field: image.Pt(600, 730), pane: image.Pt(600, 400), top: image.Pt(119, 267), narrow: image.Pt(900, 600),
		room: image.Pt(70, 157)},
	{name: "dino", window: "dino-im", modules: `, "mam"`, start: startDino, size: image.Pt(1000, 760),
		field: image.Pt(600, 715), pane: image.Pt(650, 400), top: image.Pt(150, 80), narrow: image.Pt(900, 600)},
	{name: "kaidan", window: "kaidan", start: startKaidan, size: image.Pt(1000, 760),
		field: image.Pt(600, 735), pane: image.Pt(650, 400), top: image.Pt(150, 70), narrow: image.Pt(500, 700)},
	{name: "chatty", window: "chatty", start: startChatty, size: image.Pt(500, 760),
		field: image.Pt(230, 725), pane: image.Pt(250, 350), top: image.Pt(150, 80), back: image.Pt(28, 26),
		narrow: image.Pt(400, 600)},
}

// home runs a program with a home of its own, and with the server as its only authority.
func (r *rig) home(settings []string, program string) *desktop.Process {
	args := append([]string{"HOME=" + r.dir, "XDG_CONFIG_HOME=" + filepath.Join(r.dir, ".config"),
		"XDG_DATA_HOME=" + r.data(), "LIBGL_ALWAYS_SOFTWARE=1", "LANG=C.UTF-8"}, settings...)
	return r.desk.Run(r.t, "env", append(args, "bwrap", "--dev-bind", "/", "/", "--ro-bind", r.server.certs,
		"/etc/ssl/certs", program)...)
}

func (r *rig) data() string { return filepath.Join(r.dir, ".local", "share") }

const conversePage = `<!DOCTYPE html><html><head><meta charset="utf-8"><title>Converse</title>
<link rel="stylesheet" href="converse.min.css"></head><body class="converse-fullscreen">
<script type="module">import "./converse.min.js"; window.converse.initialize({authentication: "login",
auto_login: true, jid: "me@localhost", password: %q, websocket_url: "ws://localhost:%d/xmpp-websocket",
view_mode: "fullscreen", i18n: "en", assets_path: "/", theme: %q, nickname: "Me", auto_join_rooms: [%q],
show_desktop_notifications: false, discover_connection_methods: false,
blacklisted_plugins: ["converse-omemo", "converse-notification"]});</script></body></html>`

// startConverse opens the npm package converse.js in Chromium.
func startConverse(r *rig, dark bool) *desktop.Process {
	dist := os.Getenv("KEHAI_CONVERSE")
	if dist == "" {
		r.t.Fatal("KEHAI_CONVERSE names the folder dist of the npm package converse.js: make real sets it")
	}
	if r.pages == nil { // one address for all starts: what a page has stored belongs to its address
		mux := http.NewServeMux()
		mux.Handle("/", http.FileServer(http.Dir(dist)))
		mux.HandleFunc("/chat.html", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, conversePage, secret, r.server.http, r.theme.Load(), roomOf("Team"))
		})
		r.pages = httptest.NewServer(mux)
		r.t.Cleanup(r.pages.Close)
	}
	r.theme.Store("classic")
	if dark {
		r.theme.Store("dracula")
	}
	_, port, _ := strings.Cut(strings.TrimPrefix(r.pages.URL, "http://"), ":")
	return r.desk.StartBrowser(r.t, "", "--deny-permission-prompts", "--disable-notifications",
		"--user-data-dir="+filepath.Join(r.dir, "profile"), "--app=http://localhost:"+port+"/chat.html")
}

func startDino(r *rig, dark bool) *desktop.Process {
	db := filepath.Join(r.data(), "dino", "dino.db")
	if _, err := os.Stat(db); err != nil {
		p := r.home(nil, "dino-im") // makes its tables
		desktop.Eventually(r.t, "Dino has made its tables", func() bool {
			return exec.Command("sqlite3", db, "select count(*) from account").Run() == nil
		})
		p.Stop()
		insert := "insert into account(bare_jid, resourcepart, password, alias, enabled) values" +
			"('me@localhost', 'dino.1', '" + secret + "', 'Me', 1)"
		if out, err := exec.Command("sqlite3", db, insert).CombinedOutput(); err != nil {
			r.t.Fatalf("sqlite3: %v\n%s", err, out)
		}
	}
	scheme := "ADW_DEBUG_COLOR_SCHEME=default"
	if dark {
		scheme = "ADW_DEBUG_COLOR_SCHEME=prefer-dark"
	}
	return r.home([]string{scheme, "GSK_RENDERER=cairo"}, "dino-im")
}

func startKaidan(r *rig, dark bool) *desktop.Process {
	write(r.t, filepath.Join(r.dir, ".config", "kaidan", "kaidan.conf"), fmt.Sprintf(
		"[auth]\njid=me@localhost\npassword=%s\nonline=true\nhost=localhost\nport=%d\n",
		base64.StdEncoding.EncodeToString([]byte(secret)), clientPort))
	return r.home([]string{"QT_QUICK_BACKEND=software"}, "kaidan")
}

const chattyAccount = `<?xml version='1.0' encoding='UTF-8' ?>
<account version='1.0'><account><protocol>prpl-jabber</protocol><name>me@localhost/chatty</name>
<password>%s</password><settings>
<setting name='connection_security' type='string'>opportunistic_tls</setting>
<setting name='auth_plain_in_clear' type='bool'>1</setting><setting name='port' type='int'>%d</setting>
<setting name='connect_server' type='string'>localhost</setting></settings>
<settings ui='chatty-ui'><setting name='auto-login' type='bool'>1</setting></settings></account></account>`

func startChatty(r *rig, dark bool) *desktop.Process {
	account := filepath.Join(r.dir, ".purple", "accounts.xml")
	if _, err := os.Stat(account); err != nil {
		write(r.t, account, fmt.Sprintf(chattyAccount, secret, clientPort))
		write(r.t, filepath.Join(r.dir, ".config", "glib-2.0", "settings", "keyfile"),
			"[sm/puri/Chatty]\nfirst-start=false\npurple-enabled=true\nreturn-sends-message=true\n")
		cert, err := os.ReadFile(filepath.Join(r.server.certs, "localhost.pem"))
		if err != nil {
			r.t.Fatal(err)
		}
		write(r.t, filepath.Join(r.dir, ".purple", "certificates", "x509", "tls_peers", "localhost"), string(cert))
	}
	theme := "GTK_THEME=Adwaita"
	if dark {
		theme += ":dark"
	}
	return r.home([]string{"GSETTINGS_BACKEND=keyfile", theme}, "chatty")
}

// chosen are the clients that KEHAI_CLIENTS names, or all of them.
func chosen(t *testing.T) (list []client) {
	t.Helper()
	only := os.Getenv("KEHAI_CLIENTS")
	for _, c := range clients {
		if only == "" || only == c.name {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		t.Fatalf("KEHAI_CLIENTS=%q names none of the clients", only)
	}
	return list
}
