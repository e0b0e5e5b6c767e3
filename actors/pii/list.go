package pii

// listedNames proposes surnames that are also other words where they stand in a row with a
// name that was found: 大塚、関根、東 or 佐藤と千葉が.
func (s *search) listedNames() {
	known := make(indices, len(s.r)/64+1) // where names begin, so that each is added once
	for _, p := range s.found {
		if p.kind == Name {
			known.add(p.i)
		}
	}
	for n := 0; n < len(s.found); n++ { // a name that was added leads to the next one
		if p := s.found[n]; p.kind == Name {
			s.nextInList(p.j, known)
			s.previousInList(p.i, known)
		}
	}
}

// indices is a set of indices of a text.
type indices []uint64

func (x indices) add(i int)      { x[i>>6] |= 1 << (i & 63) }
func (x indices) has(i int) bool { return x[i>>6]&(1<<(i&63)) != 0 }

// inList proposes a name of a list, unless one begins there.
func (s *search) inList(i, j int, known indices) {
	if !known.has(i) {
		known.add(i)
		s.propose(Name, "list", i, j)
	}
}

// nextInList proposes the surname after a sign that follows a name.
func (s *search) nextInList(j int, known indices) {
	k := j
	if e, _ := honorifics.at(s.folded, k); e > 0 {
		k = e
	}
	sign := s.at(k)
	if s.is(k) == newline && k < len(s.r) { // names one a line
		if end := s.surnameAt(k + 1); end > 0 && s.is(end) == newline {
			s.inList(k+1, end, known)
		}
		return
	}
	if !listSign(sign) {
		return
	}
	k = s.run(k+1, 1, set(space))
	if end := s.surnameAt(k); end > 0 && s.endsItem(end, sign == 'と') {
		s.inList(k, end, known)
	}
}

// previousInList proposes the surname before a sign that precedes a name.
func (s *search) previousInList(i int, known indices) {
	k := s.back(i, 1, set(space))
	sign := s.at(k - 1)
	if s.is(k-1) == newline && k > 1 { // names one a line
		st := s.back(k-1, 5, set(kanji))
		m, ok := s.listed.japanese.marked(s.folded, st, k-1)
		if ok && st < k-1 && m&surname != 0 && s.is(st-1) == newline && !noName.exactly(s.folded, st, k-1) &&
			!places.exactly(s.folded, st, k-1) {
			s.inList(st, k-1, known)
		}
		return
	}
	if !listSign(sign) || sign == 'と' {
		return
	}
	k--
	for _, e := range s.listed.japanese.last.of(s.at(k-1), s.at(k-2)) {
		st := k - len(e.word)
		if e.mark&surname == 0 || !s.spells(st, e.word) || !s.startsItem(st) || noName.exactly(s.folded, st, k) {
			continue
		}
		s.inList(st, k, known)
		return
	}
}

// listSign reports whether a sign separates the items of a list.
func listSign(r rune) bool {
	switch r {
	case '、', ',', '/', '・', '→', '&', 'と':
		return true
	}
	return false
}

// surnameAt returns the end of the longest surname that begins at an index, 0 if there is
// none.
func (s *search) surnameAt(k int) int {
	if s.is(k) != kanji {
		return 0
	}
	for _, e := range s.listed.japanese.of(s.folded, k) {
		if e.mark&surname == 0 {
			continue
		}
		if end := k + len(e.word); s.spells(k, e.word) && s.is(end) != kanji && !noName.exactly(s.folded, k, end) &&
			!places.exactly(s.folded, k, end) {
			return end
		}
	}
	return 0
}

// startsItem reports whether an item of a list begins at an index.
func (s *search) startsItem(i int) bool {
	switch c := s.is(i - 1); c {
	case newline, other:
		return true
	case space:
		return s.is(i-2) != kanji
	}
	return s.at(i-1) == 'は' || s.at(i-1) == 'の'
}

// endsItem reports whether an item of a list ends at an index. strict, for names that と
// joins, accepts only a particle or a word of afterList after the item.
func (s *search) endsItem(j int, strict bool) bool {
	if listSign(s.at(j)) && s.at(j) != 'と' {
		return !strict
	}
	switch s.at(j) {
	case 'が', 'は', 'も', 'と':
		return true
	case 'の':
		return !strict && (s.numeral(j+1) || afterList.startsAt(s.folded, j+1))
	}
	if afterList.startsAt(s.folded, j) {
		return true
	}
	return !strict && (s.is(j) == newline || s.is(j) == other && s.at(j) != '-' || s.has(j, "です") || s.has(j, "だ"))
}

// afterList follow の behind the last name of a list.
var afterList = words(`順 両 ペア コンビ 面々 各`)
