package web

import (
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/runtime/control"
)

// aNonce is one of the right form.
var aNonce = strings.Repeat("0123456789abcdef", 4)

// askProof asks a server for a proof, without a key.
func askProof(t *testing.T, s *Server, id, nonce string) (int, proved) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "http://"+s.Addr()+"/proof?key="+id+"&nonce="+nonce, nil)
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, r)
	noCookies(t, &http.Response{Header: w.Header(), Request: r})
	if w.Code != http.StatusOK {
		return w.Code, proved{}
	}
	return w.Code, decode[proved](t, w.Body.String())
}

// asking is what the answer is about, at a server's own origin.
func (p proved) asking(s *Server, nonce string) asking {
	return asking{"http://" + s.Addr(), p.Listens, p.Salt, nonce}
}

// holds reports whether an answer proves that a key is known.
func (p proved) holds(s *Server, key, nonce string) bool {
	return p.Proof == p.asking(s, nonce).proof(hashOf(control.RoleOwner, key))
}

// idOf is what a page makes of its key.
func idOf(key string) string { return keyID(hashOf(control.RoleOwner, key)) }

// TestProofOfAPagesKey: whoever knows the key can tell the answer of who knows it, and nobody
// can tell a key that there is from one that there is not.
func TestProofOfAPagesKey(t *testing.T) {
	s, keys := metered(t, (&host{}).options())
	for who, want := range map[string]bool{"owner": true, "guest": true, "meter": false, "a stranger": false} {
		id := idOf(keys[who])
		if who == "meter" {
			id = keyID(hashOf(control.RoleMeter, keys[who]))
		}
		code, a := askProof(t, s, id, aNonce)
		if code != http.StatusOK || a.Listens != s.Addr() || len(a.Salt) != 32 || len(a.Proof) != 64 {
			t.Errorf("the answer to %s = %d %+v, want one of the same form for everybody", who, code, a)
		}
		right := a.holds(s, keys[who], aNonce) ||
			a.Proof == a.asking(s, aNonce).proof(hashOf(control.RoleMeter, keys[who]))
		if right != want {
			t.Errorf("the answer to %s proves the key: %v, want %v", who, right, want)
		}
		if _, again := askProof(t, s, id, aNonce); again != a {
			t.Errorf("%s gets %+v the second time, want the same as everybody", who, again)
		}
	}
	// The answer to another key's question, or nonce, or of another place, proves nothing.
	other := strings.Repeat("f", 64)
	_, a := askProof(t, s, idOf(keys["owner"]), aNonce)
	if a.holds(s, keys["owner"], other) || a.holds(s, keys["guest"], aNonce) {
		t.Error("an answer proves another nonce or another key")
	}
	elsewhere := a
	elsewhere.Listens = "127.0.0.1:1"
	if elsewhere.holds(s, keys["owner"], aNonce) {
		t.Error("an answer proves that Kehai listens elsewhere")
	}
	// What is answered opens nothing.
	if code, _ := asked(t, s, "/attention", a.Proof); code != http.StatusUnauthorized {
		t.Errorf("GET /attention with a proof for a key = %d, want 401", code)
	}
	if code, _ := asked(t, s, "/attention", hashOf(control.RoleOwner, keys["owner"])); code != http.StatusUnauthorized {
		t.Errorf("GET /attention with what is kept of a key = %d, want 401", code)
	}
}

// TestProofNamesTheOriginOfTheQuestion, as a page knows it, and where the server itself listens.
func TestProofNamesTheOriginOfTheQuestion(t *testing.T) {
	s := serve(t, &host{})
	key := keyOf(t, s)
	r := request(t, s, "/proof?key="+idOf(key)+"&nonce="+aNonce)
	r.Header.Del("Authorization")
	r.Host = "localhost:9999" // through a tunnel
	resp, body := do(t, r)
	a := decode[proved](t, body)
	want := asking{"http://localhost:9999", s.Addr(), a.Salt, aNonce}.proof(hashOf(control.RoleOwner, key))
	if resp.StatusCode != http.StatusOK || a.Listens != s.Addr() || a.Proof != want {
		t.Errorf("GET /proof through a tunnel = %d %+v, want the proof %s", resp.StatusCode, a, want)
	}
	for name, change := range map[string]func(*http.Request){
		"another host": func(r *http.Request) { r.Host = "evil.example" },
		"another site": func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"another port": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
	} {
		r := request(t, s, "/proof?key="+idOf(key)+"&nonce="+aNonce)
		change(r)
		if resp, _ := do(t, r); resp.StatusCode != http.StatusForbidden {
			t.Errorf("GET /proof of %s = %d, want 403", name, resp.StatusCode)
		}
	}
}

// TestProofIsOfKeysThatHold, over restarts, and of no other.
func TestProofIsOfKeysThatHold(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	key := d.entered(s)
	proves := func(s *Server) bool {
		code, a := askProof(t, s, idOf(key), aNonce)
		return code == http.StatusOK && a.holds(s, key, aNonce)
	}
	if again := d.start(); !proves(s) || !proves(again) {
		t.Error("a key that holds is not proved, here or after a restart")
	}
	d.now = t0.Add(sessionAge)
	if proves(s) {
		t.Error("a key that is over is proved")
	}
	d.now = t0
	if err := s.sessions.Revoke(idOf(key)); err != nil || proves(s) {
		t.Errorf("Revoke() = %v, and the key is proved, want nil and that it is not", err)
	}
}

// TestProofOfAHostsKey, which is the only one.
func TestProofOfAHostsKey(t *testing.T) {
	o := (&host{}).options()
	o.Token = "a-key-of-its-own"
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, a := askProof(t, s, idOf(o.Token), aNonce); !a.holds(s, o.Token, aNonce) {
		t.Error("the host's key is not proved")
	}
	if code, a := askProof(t, s, "k-00000000", aNonce); code != http.StatusOK || a.holds(s, o.Token, aNonce) {
		t.Errorf("another id = %d, and the host's key is proved, want an answer that proves nothing", code)
	}
}

func TestProofWantsItsForm(t *testing.T) {
	s, keys := metered(t, (&host{}).options())
	id := idOf(keys["owner"])
	for name, q := range map[string][2]string{
		"no nonce": {id, ""}, "a short nonce": {id, aNonce[1:]}, "a long nonce": {id, aNonce + "0"},
		"a nonce of other digits": {id, strings.Repeat("g", 64)}, "capitals": {id, strings.ToUpper(aNonce)},
		"a zero byte": {id, "%00" + aNonce[1:]}, "no id": {"", aNonce}, "a whole hash": {id + aNonce[:56], aNonce},
		"the key itself": {keys["owner"], aNonce}, "all": {AllKeys, aNonce},
	} {
		if code, _ := askProof(t, s, q[0], q[1]); code != http.StatusBadRequest {
			t.Errorf("GET /proof with %s = %d, want 400", name, code)
		}
	}
}

// TestProofStaysTheSame: an open page checks it that was loaded from another version.
func TestProofStaysTheSame(t *testing.T) {
	key := "0123456789abcdef0123456789abcdef"
	hash, a := hashOf(control.RoleOwner, key), asking{"http://127.0.0.1:7411", "127.0.0.1:7411", key, aNonce}
	if got, want := a.proof(hash), "6f483ca224921d7fb39381b8251738f5c7be9beefcdd0b91d2f687984e969e5c"; got != want {
		t.Errorf("proof() = %s, want %s", got, want)
	}
	got := hex.EncodeToString([]byte(a.seal(hash, key)))
	if want := "6b327e269d812f64a5df0843c8d5add44b9602789df26508bef424930e9e8966"; got != want {
		t.Errorf("seal() = %s, want %s", got, want)
	}
}

// sealed is what a page sends in place of its key.
func (p proved) sealed(s *Server, key string) string {
	sealed := p.asking(s, aNonce).seal(hashOf(control.RoleOwner, key), key)
	return "Sealed " + idOf(key) + "." + aNonce + "." + hex.EncodeToString([]byte(sealed))
}

// admits reports whether a header opens a server, and as what.
func admits(s *Server, header string) (control.PageRole, bool) {
	r := httptest.NewRequest(http.MethodGet, "http://"+s.Addr()+"/", nil)
	r.Header.Set("Authorization", header)
	v, ok := s.admit(r)
	return v.Role, ok
}

// TestASealedKeyOpensTheProcess that it was sealed for, and no other, wherever that listens.
func TestASealedKeyOpensTheProcess(t *testing.T) {
	d := newKeyed(t)
	s := d.start()
	key := d.entered(s)
	_, a := askProof(t, s, idOf(key), aNonce)
	header := a.sealed(s, key)
	if role, ok := admits(s, header); !ok || role != control.RoleOwner {
		t.Errorf("the sealed key opens %q, %v, want what the key opens", role, ok)
	}
	if strings.Contains(header, key) || strings.Contains(header, hex.EncodeToString([]byte(key))) {
		t.Errorf("%s holds the key", header)
	}
	again := d.start()
	if _, ok := admits(again, header); ok || !d.opens(again, key) {
		t.Error("a key that was sealed for a process opens the next one, or the key itself does not")
	}
	again.salt = s.salt // and that alone
	if _, ok := admits(again, header); ok {
		t.Error("a sealed key opens a Kehai that listens elsewhere")
	}
	r := httptest.NewRequest(http.MethodGet, "http://localhost:9999/", nil)
	r.Header.Set("Authorization", header)
	if _, ok := s.admit(r); ok {
		t.Error("a key that was sealed at one origin opens another one")
	}
	for name, bad := range map[string]string{
		"another id":    strings.Replace(header, idOf(key), "k-00000000", 1),
		"another nonce": strings.Replace(header, aNonce, strings.Repeat("f", 64), 1),
		"cut":           header[:len(header)-2], "odd": header[:len(header)-1], "longer": header + "00",
		"no seal": "Sealed " + idOf(key) + "." + aNonce + ".", "nothing": "Sealed ", "the key": "Sealed " + key,
		"what is kept": "Bearer " + hashOf(control.RoleOwner, key), "as a bearer": "Bearer " + header[len("Sealed "):],
	} {
		if _, ok := admits(s, bad); ok {
			t.Errorf("%s opens the page: %s", name, bad)
		}
	}
	if err := s.sessions.Revoke(idOf(key)); err != nil {
		t.Fatal(err)
	}
	if _, ok := admits(s, header); ok {
		t.Error("a sealed key opens the page after it was revoked")
	}
}

// TestASealedKeyOfAHost, which may be longer than a hash.
func TestASealedKeyOfAHost(t *testing.T) {
	for _, n := range []int{16, 31, 32, 33, 64, 200} {
		o := (&host{}).options()
		o.Token = strings.Repeat("k", n)
		s, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		_, a := askProof(t, s, idOf(o.Token), aNonce)
		if _, ok := admits(s, a.sealed(s, o.Token)); !ok {
			t.Errorf("a host's key of %d characters does not open the page when it is sealed", n)
		}
		if _, ok := admits(s, a.sealed(s, o.Token+"k")); ok {
			t.Errorf("another key than the host's of %d characters opens the page when it is sealed", n)
		}
		s.Close()
	}
}
