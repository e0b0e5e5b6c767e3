package pii

import (
	"math/bits"
	"strings"
)

// secrets proposes keys, tokens, passwords, and addresses of machines. All of
// them are rows of ASCII without spaces, so one walk over such rows finds them.
func (s *search) secrets() {
	s.privateKeys()
	s.passwords()
	for i := 0; i < len(s.r); {
		if !s.tokenRune(i) {
			i++
			continue
		}
		j := i
		for s.tokenRune(j) {
			j++
		}
		s.token(i, j)
		i = j
	}
	s.urls()
}

// tokenRune reports whether a rune may be part of a key.
func (f *folded) tokenRune(i int) bool { r := f.at(i); return r < 0x80 && tokenRunes[r] }

var tokenRunes = func() (table [0x80]bool) {
	for r := range table {
		table[r] = asciiClasses[r] >= digit || strings.ContainsRune(`_-.+/=:~`, rune(r))
	}
	return table
}()

// keyForms are the keys that their makers mark: how they begin, and the least number of
// letters, digits, - and _ that follow. Sources: the makers' documentation of their keys'
// prefixes.
var keyForms = []struct {
	prefix string
	least  int
}{
	{"sk-", 16}, {"sk_live_", 10}, {"sk_test_", 10}, {"pk_live_", 10}, {"pk_test_", 10}, {"rk_live_", 10}, {"AKIA", 16},
	{"ASIA", 16}, {"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20},
	{"glpat-", 16}, {"xoxb-", 10}, {"xoxp-", 10}, {"xoxa-", 10}, {"xoxr-", 10}, {"xoxs-", 10}, {"xapp-", 10},
	{"AIza", 30}, {"ya29.", 16}, {"hf_", 20}, {"npm_", 30}, {"pypi-", 30}, {"SG.", 30}, {"whsec_", 16}, {"dop_v1_", 30},
	{"shpat_", 20}, {"gsk_", 20}, {"xai-", 20}, {"r8_", 20}, {"EAAC", 30}, {"AGE-SECRET-KEY-", 30}, {"tskey-", 16},
	{"lin_api_", 20}, {"sq0atp-", 16}, {"rpa_", 20}, {"pplx-", 20}, {"nvapi-", 20}, {"glsa_", 20}, {"dckr_pat_", 16},
}

// shortestKey is how long a key is at least, with its mark.
var shortestKey = func() int {
	least := leastWebToken
	for _, form := range keyForms {
		least = min(least, len(form.prefix)+form.least)
	}
	return least
}()

const (
	leastWebToken = 20 // letters of a JSON web token
	leastRandom   = 32 // letters of a row that nobody would write by hand
)

// keyStarts are the letters that those keys begin with.
var keyStarts = func() *letterBits {
	var l letterBits
	for _, form := range keyForms {
		l.add(rune(form.prefix[0]))
	}
	l.add('e') // of a JSON web token
	return &l
}()

// token looks for keys in a row of ASCII.
func (s *search) token(i, j int) {
	plainUntil := i // there is no key up to here: a row was read, and it had no digit
	for k := i; k < j; k++ {
		if k == i || !s.word(k-1) && s.r[k-1] != '_' {
			if k >= plainUntil && j-k >= shortestKey && keyStarts.has(s.r[k]) {
				end, key := s.marked(k, j)
				if key {
					s.propose(Secret, "key", k, end)
					k = end - 1
					continue
				}
				plainUntil = end
			}
			if s.class[k] == digit || s.r[k] == ':' || hexRune(s.r[k]) {
				s.machine(k, j)
			}
		}
	}
	if j-i >= leastRandom {
		s.random(i, j)
	}
}

// marked returns the end of a key that begins at an index with its maker's mark. If there
// is none, no other key begins before the returned end either.
func (s *search) marked(i, most int) (end int, key bool) {
	for _, form := range keyForms {
		if s.r[i] == rune(form.prefix[0]) && s.has(i, form.prefix) {
			j := i + len(form.prefix)
			for end = j; end < most && (s.word(end) || s.r[end] == '_' || s.r[end] == '-' || s.r[end] == '.' &&
				s.word(end+1)); end++ {
			}
			if end-j >= form.least && (form.prefix[len(form.prefix)-1] != '-' || s.mixed(j, end)) {
				return end, true
			}
			if end-j >= form.least {
				return end, false
			}
		}
	}
	if s.has(i, "eyJ") { // a JSON web token (RFC 7519): three parts, the first two JSON in base64
		dots := 0
		for end = i; end < most && (s.word(end) || s.r[end] == '_' || s.r[end] == '-' || s.r[end] == '.'); end++ {
			if s.r[end] == '.' {
				dots++
			}
		}
		return end, dots >= 2 && end-i >= leastWebToken
	}
	return i, false
}

// mixed reports whether there is a digit, or letters of both cases, which is rare in
// words.
func (f *folded) mixed(i, j int) bool {
	var up, low bool
	for ; i < j; i++ {
		switch f.class[i] {
		case digit:
			return true
		case upper:
			up = true
		case lower:
			low = true
		}
	}
	return up && low
}

// random proposes long rows that nobody would write by hand: at least 32 hexadecimal
// digits, or 32 letters of base64. The hash of a commit or a file does not count.
func (s *search) random(i, j int) {
	for k := i; k < j; {
		if !s.word(k) {
			k++
			continue
		}
		end := k
		for end < j && (s.word(end) || s.r[end] == '+' || s.r[end] == '/' || s.r[end] == '_' || s.r[end] == '-') {
			end++
		}
		name := end
		for end < j && s.r[end] == '=' { // padding, unless a value follows
			end++
		}
		if end < j && end > name && s.word(end) {
			k = end
			continue
		}
		if end-k >= leastRandom && !s.before(cueHash|cueVersion, k, 12) && (s.hexadecimal(k, end) || s.base64(k, end) ||
			s.accessKey(k, end)) {
			s.propose(Secret, "random", k, end)
		}
		k = end
	}
}

func hexRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'f' || r >= 'A' && r <= 'F'
}

// hexadecimal reports whether there are only hexadecimal digits, both decimal ones and
// letters.
func (f *folded) hexadecimal(i, j int) bool {
	digits, letters := 0, 0
	for ; i < j; i++ {
		switch {
		case !hexRune(f.r[i]):
			return false
		case f.class[i] == digit:
			digits++
		default:
			letters++
		}
	}
	return digits >= 4 && letters >= 4
}

// base64 reports whether there are many different letters of both cases and digits, and
// little that suggests a path or hyphenated words.
func (f *folded) base64(i, j int) bool {
	var seen [2]uint64
	var up, low, marks, turns, rows int
	for k := i; k < j; k++ {
		r := f.r[k]
		seen[r>>6&1] |= 1 << (r & 63)
		switch f.class[k] {
		case upper:
			up++
		case lower:
			low++
		case digit:
		default:
			marks++
		}
		if k > i && f.class[k] != f.class[k-1] {
			turns++
			if f.class[k] == digit {
				rows++
			}
		}
	}
	different := bits.OnesCount64(seen[0]) + bits.OnesCount64(seen[1])
	return up >= 3 && low >= 3 && rows >= 3 && different >= 16 && marks*8 <= j-i && turns*4 >= j-i
}

// accessKey reports whether there are the 40 letters of base64 of a secret access key of Amazon, near the
// identifier that belongs to it or a word for it.
func (s *search) accessKey(i, j int) bool {
	const length, reach = 40, 120
	if j-i != length {
		return false
	}
	var up, low, turns int
	for k := i; k < j; k++ {
		switch {
		case s.r[k] == '_' || s.r[k] == '-':
			return false
		case s.class[k] == upper:
			up++
		case s.class[k] == lower:
			low++
		}
		if k > i && s.class[k] != s.class[k-1] {
			turns++
		}
	}
	if up < 5 || low < 5 || turns < length/4 {
		return false
	}
	for k := max(0, i-reach); k < min(j+reach, len(s.r)); k++ {
		if (s.has(k, "AKIA") || s.has(k, "ASIA")) && s.run(k, 20, set(upper, digit)) == k+20 {
			return true
		}
		if k < i && (s.latin(k) || s.class[k] == katakana) && accessKeyWords.startsAt(s.folded, k) {
			return true
		}
	}
	return false
}

var accessKeyWords = words(`aws amazon secret_access_key secret_key aws_secret_access_key シークレットアクセスキー シークレットキー
	シークレット アクセスキー`)

// machine proposes the address of a machine, IPv4 or IPv6, that begins at an index.
func (s *search) machine(i, most int) {
	if end := s.ipv4(i); end > 0 && end <= most {
		if !s.before(cueVersion|cueOrder, i, 10) {
			s.propose(IP, "IPv4", i, end)
		}
		return
	}
	if end := s.ipv6(i, most); end > 0 {
		s.propose(IP, "IPv6", i, end)
	}
}

// ipv4 returns the end of four decimal numbers up to 255; 0 if there are none, or if they
// are not anybody's machine (0.0.0.0, 127…, 255…).
func (s *search) ipv4(i int) int {
	if s.class[i] != digit || s.at(i-1) == '.' || s.at(i-1) == '-' || s.latin(i-1) {
		return 0
	}
	first := -1
	for part := range 4 {
		j := s.run(i, 4, set(digit))
		if j == i || j-i > 3 || j-i > 1 && s.r[i] == '0' {
			return 0
		}
		n := 0
		for ; i < j; i++ {
			n = n*10 + int(s.r[i]-'0')
		}
		if n > 255 {
			return 0
		}
		if part == 0 {
			first = n
		}
		if part < 3 {
			if s.at(i) != '.' {
				return 0
			}
			i++
		}
	}
	if first == 0 || first == 127 || first == 255 || s.word(i) || s.at(i) == '.' && s.is(i+1) == digit {
		return 0
	}
	return i
}

// ipv6 returns the end of an address of eight groups, or of fewer with one ::; 0 if there
// is none (RFC 4291, 2.2).
func (s *search) ipv6(i, most int) int {
	groups, gaps, j := 0, 0, i
	for j < most {
		k := j
		for k < most && k < j+5 && hexRune(s.r[k]) {
			k++
		}
		if k-j > 4 {
			return 0
		}
		if k > j {
			groups++
		}
		if s.at(k) != ':' {
			j = k
			break
		}
		if s.at(k+1) == ':' {
			gaps++
			k++
		} else if k == j {
			return 0
		}
		if j = k + 1; !hexRune(s.at(j)) {
			if gaps == 0 {
				return 0
			}
			break
		}
	}
	if s.word(j) || s.at(j) == '.' && s.is(j+1) == digit || gaps > 1 || gaps == 0 && groups != 8 || gaps == 1 &&
		(groups < 2 || groups > 7) {
		return 0
	}
	return j
}

// urls proposes the name and password in a URL, and the values of parameters that hold
// keys.
func (s *search) urls() {
	for i := 0; i+2 < len(s.r); i++ {
		if s.r[i] != ':' || s.r[i+1] != '/' || s.r[i+2] != '/' || !s.latin(i-1) {
			continue
		}
		start := i + 3
		colon := -1
		j := start
	authority:
		for ; j < min(start+256, len(s.r)); j++ {
			switch r := s.r[j]; {
			case r == '@':
				if colon > start && j > colon+1 {
					s.propose(Secret, "credentials in an address", start, j)
				}
				break authority
			case r == ':' && colon < 0:
				colon = j
			case r == '/' || r == '?' || r == '[' || r == '{' || r == '"' || r == '<' || r <= ' ' || r >= 0x80:
				break authority
			}
		}
		i = s.parameters(j)
	}
}

// secretParameters are URL parameters whose values grant access.
var secretParameters = words(`token access_token api_key apikey key secret password passwd pwd sig signature
	client_secret auth code refresh_token session sessionid x-amz-signature`)

// parameters reads the rest of a URL and returns its end.
func (s *search) parameters(i int) int {
	for ; i < len(s.r) && s.r[i] > ' ' && s.r[i] < 0x80; i++ {
		if s.r[i] != '?' && s.r[i] != '&' {
			continue
		}
		eq := i + 1
		for eq < min(i+32, len(s.r)) && s.r[eq] != '=' && s.r[eq] != '&' && s.r[eq] > ' ' {
			eq++
		}
		if s.at(eq) != '=' || !s.secretParameter(i+1, eq) {
			continue
		}
		j := eq + 1
		for j < len(s.r) && s.r[j] > ' ' && s.r[j] < 0x7F && s.r[j] != '&' && s.r[j] != '#' && s.r[j] != '"' {
			j++
		}
		if j-eq > 4 {
			s.propose(Secret, "key in an address", eq+1, j)
		}
		i = j - 1
	}
	return i
}

func (s *search) secretParameter(i, j int) bool {
	name := make([]rune, 0, j-i)
	for ; i < j; i++ {
		r := lowered(s.r[i])
		if r == '_' {
			r = ' '
		}
		name = append(name, r)
	}
	return len(name) > 0 && secretParameters.holds(name)
}

// privateKeys proposes armoured blocks (RFC 7468) that hold a private key. A block
// without an end reaches to the end of the text.
func (s *search) privateKeys() {
	for i := 0; i < len(s.r); i++ {
		if s.r[i] != '-' || !s.has(i, "-----BEGIN ") {
			continue
		}
		private := false
		j := i + 11
		for ; j < min(i+60, len(s.r)) && s.r[j] != '-'; j++ {
			private = private || s.has(j, "PRIVATE")
		}
		if !private {
			continue
		}
		end := len(s.r)
		for k := j + 5; k < len(s.r); k++ {
			if s.r[k] == '-' && s.has(k, "-----END ") {
				for k += 9; k < len(s.r) && s.r[k] != '-' && s.r[k] != '\n'; k++ {
				}
				for end = k; end < min(k+5, len(s.r)) && s.r[end] == '-'; end++ {
				}
				break
			}
		}
		s.propose(Secret, "private key", i, end)
		i = end
	}
}
