package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/private"
)

// A page that stays open outlives the Kehai that it came from, and whatever takes the port then
// answers it. So a page sends nothing before what answers has proved that it knows the page's
// key, and then the key only sealed. Both rest on the hash that Kehai keeps of the key, from
// which a page makes the same. What is sealed can be opened by who has the hash, and counts at
// the process alone that it was sealed for: browsers send a request again by themselves when a
// connection breaks, to whoever has the port by then, who can do nothing with it.

// asking is a page's question for a proof, and what is sealed by its answer.
type asking struct {
	origin  string // where the page believes to be
	listens string // where Kehai is: one that is asked in another's name answers for itself
	salt    string // of the process
	nonce   string // of the page, new in each question
}

// mac signs it. The label keeps what is signed apart from whatever else a hash may sign.
func (a asking) mac(hash, label string, more ...string) []byte {
	m := hmac.New(sha256.New, []byte(hash))
	m.Write([]byte(strings.Join(append([]string{label, a.origin, a.listens, a.salt, a.nonce}, more...), "\x00")))
	return m.Sum(nil)
}

// proof returns what proves that one has the hash of a key.
func (a asking) proof(hash string) string { return hex.EncodeToString(a.mac(hash, "kehai proof")) }

// seal seals a key by its hash, and opens it again.
func (a asking) seal(hash, key string) string {
	sealed := []byte(key)
	for at := 0; at < len(sealed); at += sha256.Size {
		for i, b := range a.mac(hash, "kehai seal", strconv.Itoa(at)) {
			if at+i < len(sealed) {
				sealed[at+i] ^= b
			}
		}
	}
	return string(sealed)
}

// asking is one at this server.
func (s *Server) asking(r *http.Request, nonce string) asking {
	return asking{"http://" + r.Host, s.Addr(), s.salt, nonce}
}

// provable returns the hash of a page's key by the key's id, or other if there is none, after the
// same work.
func (s *Sessions) provable(id, other string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	hash := other
	for _, k := range s.list {
		if same := private.SameSecret(id, k.ID); same && k.Role != control.RoleMeter && s.holds(k) {
			hash = k.Hash
		}
	}
	return hash
}

// provable returns the hash of the key with an id: of a session, or a host's only key. For an unknown
// id it is a hash that nobody knows, always the same, so that answers do not tell which ids there are.
func (s *Server) provable(id string) string {
	other := hex.EncodeToString(asking{nonce: id}.mac(s.secret, "kehai no key"))
	if s.sessions != nil {
		return s.sessions.provable(id, other)
	}
	if hash := hashOf(control.RoleOwner, s.token); private.SameSecret(id, keyID(hash)) {
		return hash
	}
	return other
}

// unseal returns the key of a request that has it sealed, "" if it has none. What comes of another
// hash, process or place is no key.
func (s *Server) unseal(r *http.Request) string {
	text, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Sealed ")
	parts := strings.Split(text, ".")
	if len(parts) != 3 || !isID(parts[0]) || !isHex(parts[1], nonceSize) {
		return ""
	}
	sealed, err := hex.DecodeString(parts[2])
	if err != nil {
		return ""
	}
	return s.asking(r, parts[1]).seal(s.provable(parts[0]), string(sealed))
}

// proved is what a page is answered.
type proved struct {
	Listens string `json:"listens"` // host:port
	Salt    string `json:"salt"`
	Proof   string `json:"proof"`
}

// proof answers whoever asks, also about a key that there is not. What it costs is bounded as for
// everything that needs no key, by the number of connections and the size of a header; it reads
// no body and writes nothing.
func (s *Server) proof(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	id, nonce := q.Get("key"), q.Get("nonce")
	if !isID(id) || !isHex(nonce, nonceSize) {
		http.Error(w, "want the id of a key as kehai page --list prints it, and a nonce of 64 hex digits, "+
			"as ?key=k-0123abcd&nonce=…", http.StatusBadRequest)
		return
	}
	a := s.asking(r, nonce)
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(proved{a.listens, a.salt, a.proof(s.provable(id))})
}

const nonceSize = 64 // hex digits

func isID(text string) bool {
	number, ok := strings.CutPrefix(text, "k-")
	return ok && isHex(number, 8)
}

// isHex reports whether a text is n lower-case hex digits.
func isHex(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "0123456789abcdef") == ""
}
