package pii

// casualNames proposes given names in lower case, in a line that somebody types without
// capitals: kevin said he'd pick up maria.
func (s *search) casualNames() {
	for i := 0; i < len(s.r); {
		end := i
		for end < len(s.r) && s.class[end] != newline {
			end++
		}
		if s.casual(i, end) {
			s.casualLine(i, end)
		}
		i = end + 1
	}
}

// casual reports whether a line has several words and no capital but I.
func (s *search) casual(i, end int) bool {
	gaps := 0
	for k := i; k < end; k++ {
		switch c := s.class[k]; {
		case c == upper && (s.r[k] != 'I' || s.word(k+1) || s.word(k-1)), c == hiragana, c == katakana, c == kanji,
			s.r[k] == '=', s.r[k] == '{', s.r[k] == ';', s.r[k] == '\\', s.r[k] == '<', s.r[k] == '|':
			return false // code, or another way of writing
		case c == space && s.latin(k-1) && s.latin(k+1):
			gaps++
		}
	}
	return gaps >= 2
}

func (s *search) casualLine(i, end int) {
	for k := i; k < end; k++ {
		if s.class[k] != lower || s.word(k-1) {
			continue
		}
		j := s.run(k, longestWord, set(lower))
		if s.casualName(k, j) {
			for s.is(j) == space { // and the family name
				n := s.run(j+1, longestWord, set(lower))
				if m := s.latinMark(j+1, n); m&family == 0 || m&(doubtful|doubtful2) != 0 || !s.apart(n) {
					break
				}
				j = n
			}
			s.propose(Name, "lower case", k, j)
		}
		k = j
	}
}

// casualName reports whether a word in lower case is a given name and no other word, and
// stands where a person does.
func (s *search) casualName(k, j int) bool {
	m := s.latinMark(k, j)
	if j-k < 4 || m&first == 0 || m&(doubtful|doubtful2) != 0 || !s.apart(j) || s.signBefore(k) ||
		notCasual.exactly(s.folded, k, j) {
		return false
	}
	before := s.back(k, 2, set(space))
	if st, _ := casualBefore.before(s.folded, before); st >= 0 && before < k {
		return true
	}
	after := s.run(j, 1, set(space))
	if s.has(j, "'s ") {
		return true
	}
	e, _ := casualAfter.at(s.folded, after)
	return e > 0 && after > j
}

// apart reports whether a word ends at an index, rather than an identifier or an address.
func (s *search) apart(j int) bool {
	switch s.at(j) {
	case '_', '@', '/', '-', ':', '(':
		return false
	case '.':
		return !s.word(j + 1)
	}
	return !s.word(j)
}

func (s *search) signBefore(k int) bool {
	switch s.at(k - 1) {
	case '_', '@', '/', '-', '.', '#', '$', '\\':
		return true
	}
	return false
}

var (
	casualBefore = words(`add hey hi hello yo dear thank_you thanks thx ask asked tell told text texted call called with
		and from
		saw see met meet is did does was
		has will for to about by that if when because up its it's im i'm this_is my_friend friend my_name_is give
		gave invite invited
		know knows love miss hate help email emailed msg ping dm cc buddy bro sis uncle aunt miss mr mrs ms dr`)
	casualAfter = words(`said says told asked is was has just will wants wanted went goes got texted called wrote
		lives works knows
		thinks thought came comes left and or can could should would did does didnt doesnt isnt wasnt needs told sent`)
	// notCasual are given names that are also words, units, programs or places in lower case.
	notCasual = words(`alexa siri jenkins java julia ruby perl python docker kali mason china paris vienna london
		sydney jordan
		israel cairo milan florence verona dallas austin houston savannah georgia virginia carolina alma nova aria
		viola
		stella luna aurora maya inca sage jasmine ginger daisy iris olive hazel amber jade pearl opal diamond crystal
		angel heaven destiny trinity chance chase hunter tanner carter cooper parker archer mercy grace faith hope joy
		april june august autumn summer dawn eve noel melody harmony cadence lyric reed robin wren lark dove rocky
		sandy
		rusty dusty misty stormy bill will mark frank grant pat rob sue rick jack nick drew art guy gene ray
		lance max rich chad dean earl duke prince king royal major sonny buddy junior hans tesla kelvin watt pascal`)
)
