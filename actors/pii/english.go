package pii

// englishNames proposes names in Latin letters: words with capitals after a
// title or an introduction, and those of the gazetteer.
func (s *search) englishNames() {
	for i := 0; i < len(s.r); {
		if !s.latin(i) {
			i++
			continue
		}
		end := i + 1
		for s.latin(end) || (s.at(end) == '\'' || s.at(end) == '-') && s.latin(end+1) {
			end++
		}
		if !s.word(i-1) && s.is(end) != digit && s.at(i-1) != '@' && s.at(i-1) != '_' && !(s.at(end) == '.' &&
			s.is(end+1) == lower) && s.at(end) != '@' && s.at(end) != '_' {
			if s.starts[i]&(startsTitle|startsIntro) != 0 {
				if e := s.introducesLatin(i, end); e > end {
					i = e
					continue
				}
			}
			if s.class[i] == upper {
				if e := s.initialled(i); e > i {
					i = e
					continue
				}
				if e := s.latinName(i); e > i {
					i = e
					continue
				}
			}
		}
		i = end
	}
}

// introducesLatin proposes the name after a title or an introduction that begins
// at an index, and returns its end.
func (s *search) introducesLatin(i, end int) int {
	if s.class[i] == upper && s.starts[i]&startsTitle != 0 {
		if e, _ := titles.at(s.folded, i); e > 0 {
			return s.titled(e)
		}
	}
	if s.starts[i]&startsIntro == 0 {
		return 0
	}
	e, mark := introductions.at(s.folded, i)
	if e < 0 {
		return 0
	}
	k := e
	for k < e+3 && (s.is(k) == space || s.is(k) == newline || s.at(k) == ':' || s.at(k) == ',') {
		k++
	}
	if k > e && s.is(k) == lower {
		return s.lowerName(i, e, k)
	}
	if k == e || s.is(k) != upper {
		return 0
	}
	if mark == label && (s.is(k-1) != space || s.class[i] != upper && s.latinMark(k, s.wordEnd(k)) == 0) {
		return 0
	}
	if t, _ := titles.at(s.folded, k); t > 0 {
		return k - 1 // Dear Mr. Smith: the title introduces the name
	}
	j := s.nameWords(k, 4)
	place := s.placeName(k, j) && (mark == needsList || !s.bearsPlace(k, j))
	if j == k || sentenceWords.exactly(s.folded, k, s.wordEnd(k)) || place ||
		s.shouted(k, j) && !s.givenLatin(k, j) {
		return 0
	}
	listed, two := s.givenLatin(k, j), s.twoWords(k, j)
	switch {
	case mark == needsList && !listed, mark == ofPersons && !listed && !(two && s.unusual(k, j)):
		return 0
	case (mark == needsList || mark == ofPersons) && !two && s.doubtfulName(k, j) && !s.speaksHere(i, e, j):
		return 0
	}
	s.propose(Name, "introduction", k, j)
	return j
}

// titled proposes the name after a title, and returns its end; 0 if there is none.
func (s *search) titled(e int) int {
	if s.at(e) == '.' {
		e++
	}
	k := s.run(e, 1, set(space))
	// Mr. and Mrs. Smith
	if (s.has(k, "and ") || s.has(k, "& ")) && k > e {
		return 0
	}
	if j := s.nameWords(k, 4); k > e && j > k && !sentenceWords.exactly(s.folded, k, j) && !s.placeName(k, j) {
		s.propose(Name, "title", k, j)
		return j
	}
	return 0
}

// speaksHere reports whether somebody says who they are and from where: it's Jordan from
// accounting, this is May speaking.
func (s *search) speaksHere(i, e, j int) bool {
	if !selfIntroductions.exactly(s.folded, i, e) || s.is(j) != space {
		return false
	}
	return callers.startsAt(s.folded, j+1)
}

// callers follow the name of somebody who calls or writes.
var callers = words(`from here speaking again calling`)

// bearsPlace reports whether somebody with a frequent given name has a family name that also
// ends places: Margaret Hill, Michelle Park.
func (s *search) bearsPlace(i, j int) bool {
	one, last := s.wordEnd(i), s.lastCapital(i, j)
	m := s.latinMark(i, one)
	next := s.nextCapital(j)
	return m&first != 0 && m&(doubtful|doubtful2) == 0 && last == one+1 && s.latinMark(last, j)&family != 0 && next == 0
}

// selfIntroductions are introductions after which people leave out capitals.
var selfIntroductions = words(`my_name_is my_name's i'm i_am this_is it's call_me name_is name's`)

// lowerName proposes a name in lower case after an introduction: a given name from the
// gazetteer, and the names that follow it.
func (s *search) lowerName(i, e, k int) int {
	if !selfIntroductions.exactly(s.folded, i, e) || s.at(e) != ' ' {
		return 0
	}
	j := s.run(k, longestWord, set(lower))
	m := s.latinMark(k, j)
	named := s.has(e-3, " is") && (s.has(e-7, "name") || s.has(e-7, "Name"))
	if j-k < 3 || m&first == 0 || m&doubtful2 != 0 && !named || s.word(j) {
		return 0
	}
	for range 2 {
		n := s.run(j+1, longestWord, set(lower))
		if s.is(j) != space || n-j < 4 || s.latinMark(j+1, n)&(family|first) == 0 || sentenceWords.exactly(s.folded,
			j+1, n) {
			break
		}
		j = n
	}
	s.propose(Name, "introduction", k, j)
	return j
}

// wordEnd returns the end of the capitalised word that begins at an index.
func (s *search) wordEnd(i int) int { return max(i, s.capital(i)) }

// nameWords returns the end of at most most capitalised words, including initials and the
// small words within names.
func (s *search) nameWords(i, most int) int {
	end := i
	for n := 0; n < most; n++ {
		j := s.capital(i)
		if j == 0 {
			if e := s.run(i, 4, set(lower)); n > 0 && nobiliary(s.string(i, e)) && s.is(e) == space && s.latin(e+1) {
				i = e + 1
				continue
			}
			break
		}
		j = s.bareWord(i, j)
		if n > 0 && sentenceWords.exactly(s.folded, i, j) && !s.inLatin(i, j) && !(j-i == 1 && s.at(j) == '.') {
			break
		}
		if s.at(j) == '@' || s.at(j) == '_' || s.is(j) == digit {
			break
		}
		end = j
		if s.at(j) == '.' && j-i == 1 && s.is(j+1) == space {
			j++ // an initial
		}
		if s.is(j) != space || s.is(j+1) != upper && s.is(j+1) != lower {
			break
		}
		i = j + 1
	}
	return end
}

// bareWord is the end of a word without 's and without a Japanese honorific.
func (s *search) bareWord(i, j int) int {
	switch s.at(j - 1) {
	case 's', 'n', 'a', 'i':
	default:
		return j // as none of them ends
	}
	for _, tail := range [...]string{"'s", "-san", "-sama", "-kun", "-chan", "-sensei"} {
		if s.ends(j, tail) && j-i > len(tail)+1 {
			return j - len(tail)
		}
	}
	return j
}

func nobiliary(w string) bool {
	switch w {
	case "van", "von", "de", "der", "den", "la", "le", "da", "di", "del", "dos", "bin", "al", "du", "y", "ibn", "ter":
		return true
	}
	return false
}

// inLatin reports whether the gazetteer has a word.
func (s *search) inLatin(i, j int) bool { return s.latinMark(i, j) != 0 }

// latinMark returns what the gazetteer says about a word, or about the first part of a
// double name.
func (s *search) latinMark(i, j int) uint32 {
	var b [24]byte
	n := 0
	for k := i; k < j && n < len(b); k++ {
		if s.r[k] == '-' {
			break
		}
		if s.r[k] >= 0x80 {
			return 0
		}
		b[n] = byte(lowered(s.r[k]))
		n++
	}
	return s.listed.latin[string(b[:n])]
}

// givenLatin reports whether the first word between two indices is a given name, or
// the last one a family name of a full name.
func (s *search) givenLatin(i, j int) bool {
	e := s.wordEnd(i)
	m := s.latinMark(i, min(e, j))
	if m&first != 0 {
		return true
	}
	if m&family != 0 && m&doubtful == 0 {
		return true
	}
	l := s.back(j, 24, set(upper, lower, other))
	for l < j && s.class[l] == other {
		l++
	}
	return l > i && s.latinMark(l, j)&family != 0
}

func (s *search) twoWords(i, j int) bool { return s.wordEnd(i) < j }

// doubtfulName reports whether one word is also an everyday word.
func (s *search) doubtfulName(i, j int) bool {
	return s.latinMark(i, j)&(doubtful|doubtful2) != 0
}

// unusual reports whether no word between two indices is a common one.
func (s *search) unusual(i, j int) bool {
	for k := i; k < j; {
		e := s.wordEnd(k)
		if e == k {
			k++
			continue
		}
		if sentenceWords.exactly(s.folded, k, e) {
			return false
		}
		k = e
	}
	return true
}

// placeName reports whether a name ends in or is followed by a word for a place or a
// thing: Victoria Station.
func (s *search) placeName(i, j int) bool {
	if e, _ := placesOfWords.at(s.folded, i); e > 0 {
		return true
	}
	l := s.back(j, 24, set(upper, lower))
	if l > i && placesAfter.exactly(s.folded, l, j) {
		return true
	}
	if s.is(j) == space && s.is(j+1) == upper {
		e, _ := placesAfter.at(s.folded, j+1)
		return e > 0
	}
	return false
}

// latinName proposes the name of the gazetteer that begins with a word, and returns
// the end of what it read.
func (s *search) latinName(i int) int {
	one := s.capital(i)
	if one-i < 2 || s.allUpper(i, one) && one-i < 3 {
		return i
	}
	bare := s.bareWord(i, one)
	if s.starts[i]&startsPlace != 0 {
		if e, _ := placesOfWords.at(s.folded, i); e > 0 {
			return e
		}
	}
	if s.at(i-1) == ' ' && (s.ends(i, "St. ") || s.ends(i, "Saint ")) {
		return one
	}
	m := s.latinMark(i, bare)
	common := sentenceWords.exactly(s.folded, i, bare)
	if m == 0 && common {
		return s.plural(i, bare)
	}
	j := s.nameWords(i, 4)
	two := j > one
	switch {
	case m == 0 && !two:
		return s.plural(i, bare)
	case months.exactly(s.folded, i, one) && s.is(one+1) == digit:
		return i
	case s.placeName(i, j):
		return j
	}
	if !two {
		return s.oneName(i, bare, m)
	}
	// The second word helps to decide about the first.
	last := s.lastCapital(i, j)
	n := s.latinMark(last, j)
	switch {
	case s.shouted(i, j) && (m == 0 || n == 0):
		return i
	case common && m&first == 0 && (m&family == 0 || !s.koreanGiven(last, j)):
		return i
	case s.knownNames(i, j, m, n, common), s.nameAround(i, one, last, j, m):
		s.propose(Name, "full name", s.initialBefore(i), j)
		return j
	}
	return s.oneName(i, bare, m)
}

// knownNames reports whether the gazetteer knows enough about the first and last word of
// a possible full name.
func (s *search) knownNames(i, j int, m, n uint32, common bool) bool {
	switch {
	case m&first != 0 && m&doubtful2 == 0,
		m&first != 0 && n&(family|first) != 0 && !s.sentenceStartWord(i, m, n),
		m&family != 0 && n&first != 0 && n&doubtful2 == 0,
		m&family != 0 && m&doubtful == 0 && n&(family|first) != 0,
		n&(family|first) != 0 && n&(doubtful|doubtful2) == 0 && !common && s.unusual(i, j),
		m&family != 0 && m&doubtful == 0 && s.unusual(i, j) && !s.thing(i, j):
		return true
	}
	return false
}

// nameAround reports whether an initial, the form of the last word, or the surrounding
// text shows that this is a full name, whose first word ends at one.
func (s *search) nameAround(i, one, last, j int, m uint32) bool {
	k := s.nextCapital(one)
	initial := k > 0 && s.is(k+1) != lower && s.at(k+1) != '\''
	switch {
	case s.eastern(i, j, last), s.displayName(j) && s.unusual(i, j) && !s.shouted(i, j):
		return true
	case initial && m != 0,
		m&first != 0 && s.unusual(last, j) && s.personAround(i, j),
		m == 0 && s.unusual(i, j) && (s.personAround(i, j) || s.familyLike(last, j)),
		m&family != 0 && s.koreanGiven(last, j):
		return true
	}
	return false
}

// eastern reports whether a Chinese or Vietnamese family name comes first, and only syllables
// of given names follow: Li Na, Tran Thi Hoa.
func (s *search) eastern(i, j, last int) bool {
	one := s.capital(i)
	if !easternFamilies.exactly(s.folded, i, one) || last == i {
		return false
	}
	for k := one + 1; k < j; {
		e := s.run(k, longestWord, set(upper, lower))
		if !easternSyllables.exactly(s.folded, k, e) {
			return false
		}
		if k = e; s.at(k) == '-' || s.is(k) == space {
			k++
		}
		if e == j {
			return true
		}
	}
	return true
}

// displayName reports whether an address in angle brackets follows, as in mail.
func (s *search) displayName(j int) bool {
	if s.at(j) == '"' {
		j++
	}
	k := s.run(j, 1, set(space))
	if s.at(k) != '<' {
		return false
	}
	for n := k + 1; n < k+longestLocal && s.at(n) > ' ' && s.at(n) != '>'; n++ {
		if s.at(n) == '@' {
			return true
		}
	}
	return false
}

// familyLike reports whether a word ends like a family name.
func (s *search) familyLike(i, j int) bool {
	if j-i < 5 {
		return false
	}
	for _, e := range familyEndings {
		if s.ends(j, e) {
			return true
		}
	}
	return false
}

// koreanGiven reports whether a word is a given name such as Min-ji: with a hyphen, and
// no capital after it.
func (s *search) koreanGiven(i, j int) bool {
	k := s.run(i+1, 6, set(lower))
	return s.at(k) == '-' && s.is(k+1) == lower && s.run(k+1, 6, set(lower)) == j
}

// initialled proposes an initial and a word that may be a family name, T. Nakagawa, and
// returns the end; the index if there is none.
func (s *search) initialled(i int) int {
	if s.at(i+1) != '.' || s.word(i-1) || s.at(i-1) == '.' || s.afterCapital(i) {
		return i
	}
	k := i + 2
	for s.is(k) == upper && s.at(k+1) == '.' {
		k += 2 // J.R.R.
	}
	k = s.run(k, 1, set(space))
	end := s.bareWord(k, s.wordEnd(k))
	if end-k < 4 || s.is(k+1) != lower || s.is(k-1) != space || s.nextCapital(end) > 0 || s.formIs(k, end) ||
		s.at(end) == '.' && s.word(end+1) || sentenceWords.exactly(s.folded, k, end) ||
		placesAfter.exactly(s.folded, k, end) {
		return i
	}
	if m := s.latinMark(k, end); m&family == 0 && !(m == 0 && (s.familyLike(k, end) || s.vowels(k, end))) {
		return i
	}
	s.propose(Name, "initial", i, end)
	return end
}

// vowels reports whether a word has at least three vowels, as few family names of one
// syllable and few abbreviations have.
func (s *search) vowels(i, j int) bool {
	n := 0
	for ; i < j; i++ {
		switch lowered(s.r[i]) {
		case 'a', 'e', 'i', 'o', 'u', 'y':
			n++
		}
	}
	return n >= 3
}

// initialBefore returns the start of an initial before a name: J. Robert.
func (s *search) initialBefore(i int) int {
	if s.is(i-1) == space && s.at(i-2) == '.' && s.is(i-3) == upper && !s.word(i-4) {
		return i - 3
	}
	return i
}

// plural proposes a family: the Johnsons.
func (s *search) plural(i, j int) int {
	if !s.ends(i, "the ") && !s.ends(i, "The ") || !s.ends(j, "s") || j-i < 5 {
		return i
	}
	if m := s.latinMark(i, j-1); m&family != 0 && m&doubtful == 0 {
		s.propose(Name, "family", i, j)
		return j
	}
	return i
}

// thing reports whether a second word is not a name.
func (s *search) thing(i, j int) bool {
	l := s.lastCapital(i, j)
	return s.latinMark(l, j) == 0
}

// sentenceStartWord reports whether a pair is two everyday words: "May Day", or at the
// start of a sentence "Will Young".
func (s *search) sentenceStartWord(i int, m, n uint32) bool {
	return m&doubtful2 != 0 && n&doubtful != 0 && s.sentenceStart(i) && alsoVerbs.exactly(s.folded, i, s.wordEnd(i))
}

// sentenceStart reports whether a sentence begins at an index.
func (s *search) sentenceStart(i int) bool {
	k := s.back(i, 3, set(space, newline))
	switch s.at(k - 1) {
	case 0, '.', '!', '?', ':', '"', '。', '(', '「':
		return true
	}
	return s.is(i-1) == newline
}

// nextCapital returns the start of the next capitalised word after an index.
func (s *search) nextCapital(i int) int {
	if s.at(i) == '.' {
		i++
	}
	if s.is(i) == space && s.is(i+1) == upper {
		return i + 1
	}
	return 0
}

// lastCapital returns the start of the last capitalised word between two indices.
func (s *search) lastCapital(i, j int) int {
	last := i
	for k := i; k < j; k++ {
		if s.class[k] == upper && (k == i || s.class[k-1] == space) {
			last = k
		}
	}
	return last
}

// oneName proposes a single word.
func (s *search) oneName(i, j int, m uint32) int {
	title := s.nextCapital(j) > 0
	switch {
	case s.at(j) == '.' && s.is(j+1) == upper || s.is(i-1) == other && (s.at(i-1) == '/' || s.at(i-1) == '-' ||
		s.at(i-1) == '.'):
		return j
	case s.allUpper(i, j), m&first == 0 && sentenceWords.exactly(s.folded, i, j):
		return j
	case m&first != 0 && m&doubtful2 == 0:
		if title && s.placeName(i, s.wordEnd(j+1)) || s.placeFollows(j) {
			return j
		}
		s.propose(Name, "gazetteer", i, j)
	case m&family != 0 && m&(doubtful|doubtful2) == 0 && !title && !s.afterCapital(i):
		s.propose(Name, "gazetteer", i, j)
	case m != 0 && s.personAround(i, j) && !sentenceWords.exactly(s.folded, i, j):
		s.propose(Name, "context", i, j)
	}
	return j
}

// placeFollows reports whether a word in lower case makes a place of the name before it:
// Charlotte airport.
func (s *search) placeFollows(j int) bool {
	if s.is(j) != space || s.is(j+1) != lower {
		return false
	}
	return placesAfter.exactly(s.folded, j+1, s.run(j+1, longestWord, set(lower)))
}

// afterCapital reports whether a capitalised word comes just before, as in a longer name
// of something.
func (s *search) afterCapital(i int) bool {
	if s.is(i-1) != space {
		return false
	}
	k := s.back(i-1, 24, set(upper, lower))
	return k < i-1 && s.class[k] == upper && !s.sentenceStart(k)
}

// personAround reports whether a name is followed by a verb that only people do.
func (s *search) personAround(i, j int) bool {
	if s.has(j, "'s ") {
		return false
	}
	k := s.run(j, 1, set(space))
	if s.at(j) == ',' && s.is(j+1) == space {
		if age := s.number(j+2, 2); age > j+3 && s.at(age) == ',' {
			return true // Darnell Whitmore, 34, of Toledo
		}
		e, _ := personVerbs.at(s.folded, j+2)
		return e > 0 && s.at(i-2) == ',' // the president, Jane Doe, said
	}
	e, _ := personVerbs.at(s.folded, k)
	return k > j && e > 0
}
