package pii

// mails proposes e-mail addresses: what surrounds an @, or its spelt forms (at) and [at].
func (s *search) mails() {
	for i, r := range s.r {
		switch r {
		case '@':
			s.mail(i, i+1)
		case '(', '[':
			if s.class[i] == other && (s.at(i+3) == ')' || s.at(i+3) == ']') &&
				lowered(s.at(i+1)) == 'a' && lowered(s.at(i+2)) == 't' {
				s.mail(s.back(i, 1, set(space)), s.run(i+4, 1, set(space)))
			}
		}
	}
}

const (
	longestLocal  = 64  // RFC 5321, 4.5.3.1.1
	longestDomain = 253 // RFC 1035, 2.3.4
)

// mail proposes the address whose local part ends at one index and whose domain
// begins at another.
func (s *search) mail(end, domain int) {
	start := end
	for start > end-longestLocal && s.localRune(start-1) {
		start--
	}
	for start < end && (s.at(start) == '.' || s.at(start) == '-' || s.at(start) == '\'' || s.at(start) == '/') {
		start++
	}
	if start == end || s.at(end-1) == '.' {
		return
	}
	if j := s.domain(domain); j > 0 {
		s.propose(Email, "address", start, j)
	}
}

// localRune reports whether a rune may be in an unquoted local part. A slash or an equals
// sign ends it, so that mailto: and form fields do not become part of it.
func (f *folded) localRune(i int) bool {
	if f.word(i) {
		return true
	}
	switch f.at(i) {
	case '.', '_', '%', '+', '-', '\'', '&', '~':
		return true
	}
	return false
}

// domain returns the end of a domain name with at least one dot; 0 if none begins here.
func (f *folded) domain(i int) int {
	end, dots := 0, 0
	for j := i; j < i+longestDomain; {
		k := j
		for f.word(k) || f.at(k) == '-' && k > j {
			k++
		}
		for k > j && f.at(k-1) == '-' {
			k--
		}
		if k == j {
			break
		}
		if dots > 0 && k-j >= 2 && f.latin(j) {
			end = k
		}
		next := f.dot(k)
		if next == 0 || !f.word(next) {
			break
		}
		dots++
		j = next
	}
	return end
}

// dot is the end of a dot, or of its spelt form [dot]; 0 if there is none.
func (f *folded) dot(i int) int {
	if f.at(i) == '.' {
		return i + 1
	}
	if k := f.run(i, 1, set(space)); f.at(k) == '[' || f.at(k) == '(' {
		if lowered(f.at(k+1)) == 'd' && lowered(f.at(k+2)) == 'o' && lowered(f.at(k+3)) == 't' &&
			(f.at(k+4) == ']' || f.at(k+4) == ')') {
			return f.run(k+5, 1, set(space))
		}
	}
	return 0
}

// accounts proposes a person's name on a service, after the word for the service.
func (s *search) accounts() {
	for _, c := range s.cues {
		if c.mark&cueAccount != 0 {
			s.account(c)
		}
	}
}

// account proposes the handle after a word: a row of letters, digits and some marks, with
// an @ in front or with a hint that it is not a word of the sentence.
func (s *search) account(c placed) {
	i, asked := s.skipLink(c.j)
	if s.has(i, "ID") || s.has(i, "id") {
		if s.word(i + 2) {
			return
		}
		i, _ = s.skipLink(i + 2)
		asked = true
	}
	named := !asked && i > c.j && (s.ends(c.j, "名") || s.ends(c.j, "ID") || s.ends(c.j, "id") || s.ends(c.j, "name"))
	if s.latin(c.j-1) && (i == c.j || s.lowerLine(c)) {
		return // foo@bar, the line is
	}
	at := s.at(i) == '@'
	if at {
		i++
	}
	j := i
	for j < i+40 && (s.word(j) || s.at(j) == '_' || s.at(j) == '.' || s.at(j) == '-' || s.at(j) == '#' &&
		s.is(j+1) == digit) {
		j++
	}
	for j > i && (s.at(j-1) == '.' || s.at(j-1) == '-') {
		j--
	}
	if j-i < 3 || s.at(j) == '@' {
		return
	}
	marks, digits, capitals := s.kindsOfMarks(i, j)
	if c.j-c.i == 2 && (s.at(s.run(c.j, 1, set(space))) != ':' || !marks || s.class[i] != lower) {
		return // an ID may be that of anything, unless it looks like a name
	}
	switch {
	case at:
		s.propose(Account, "handle", i-1, j)
	case asked && (marks || digits || !capitals && j-i >= 4 && !s.verbBefore(i) && !everyday.exactly(s.folded, i, j)):
		s.propose(Account, "context", i, j)
	case named && (marks || digits) && s.latin(i):
		s.propose(Account, "named", i, j)
	}
}

// everyday are words that follow the name of a service but are not a handle.
var everyday = words(`the and for with you your that this from are was has have not will can all our new app group
	chat message messages account accounts user users post posts page link links name names number here there but when
	then required wrong invalid optional empty missing unknown unavailable disabled enabled works work working down
	admin root null none true false string value values only file text any other change changed forgotten lost default
	yes no ok here below above sent locked closed open active inactive suspended banned hacked new old free
		tbd tba n/a nil str int var case-sensitive case-insensitive
		self-explanatory`)

// skipLink skips what links a word with its value: a space, a colon, は, "is".
func (s *search) skipLink(i int) (end int, asked bool) {
	for n := 0; n < 4; n++ {
		i = s.run(i, 2, set(space))
		j, _ := links.at(s.folded, i)
		switch {
		case s.at(i) == ':' || s.at(i) == '=':
			i, asked = i+1, true
		case s.at(i) == '(' || s.at(i) == '"' || s.at(i) == '「' || s.at(i) == '\'' || s.at(i) == '>':
			i++
		case j >= 0:
			i, asked = j, true
		default:
			return i, asked
		}
	}
	return i, asked
}

var links = words(`は が の is are was も って、 って としては handle username me_at us_at me at as 名前は`)

// lowerLine reports whether the word is "line" in lower case, which is not the service.
func (s *search) lowerLine(c placed) bool { return s.has(c.i, "line") && c.j-c.i == 4 }

// verbBefore reports whether "is" or the like comes before an index: then any word may
// follow.
func (s *search) verbBefore(i int) bool {
	k := s.back(i, 2, set(space))
	return s.ends(k, "is") || s.ends(k, "are") || s.ends(k, "was") || s.ends(k, "as") || s.ends(k, "at") || s.ends(k,
		"me")
}

// kindsOfMarks returns what a handle has but few words have.
func (f *folded) kindsOfMarks(i, j int) (marks, digits, capitals bool) {
	for ; i < j; i++ {
		switch f.class[i] {
		case digit:
			digits = true
		case upper:
			capitals = true
		case other:
			marks = marks || f.r[i] == '_' || f.r[i] == '.'
		}
	}
	return marks, digits, capitals
}
