package pii

// names proposes Japanese names: before an honorific, next to words that introduce
// somebody, and frequent ones by themselves. Only the name is proposed: the honorific is
// not private.
func (s *search) names() {
	honoured := 0 // the end of the last honorific: 知事 inside 都知事 does not count
	for i := 0; i < len(s.r); i++ {
		switch s.class[i] {
		case kanji, hiragana, katakana, upper:
		case lower:
			if s.class[max(i-1, 0)] != other {
				continue
			}
		default:
			continue
		}
		if s.starts[i]&startsHonorific != 0 && i >= honoured {
			if end, mark := honorifics.at(s.folded, i); end > 0 {
				s.honoured(i, end, mark)
				honoured = end
			}
		}
		if s.starts[i]&startsSaying != 0 {
			s.saying(i)
		}
		if s.class[i] != lower && s.class[i] != upper && s.startsRow(i) {
			s.known(i)
		}
	}
}

// saying proposes the names that stand before and behind words that introduce somebody.
func (s *search) saying(i int) {
	if saysName.startsAt(s.folded, i) {
		s.introduced(i)
	}
	if end, mark := namedBy.at(s.folded, i); end > 0 {
		s.introduces(end, mark)
	}
}

// honoured proposes the name before an honorific.
func (s *search) honoured(i, end int, mark uint32) {
	k := i
	if s.is(k-1) == space {
		k--
	}
	switch {
	case mark == likelyName && s.continues(i, end), s.has(i, "氏名"):
		return
	case s.has(i, "ちゃんぽん"), s.has(i, "ちゃんこ"), s.ends(end, "吉野家"):
		return
	case s.has(i, "たん") || s.has(i, "っち") || s.has(i, "家"):
		if start := s.knownBefore(k); start == k || s.has(i, "家") && (s.is(end) == kanji || !s.family(start, k)) {
			return
		}
	case s.has(i, "くん") && s.is(end) == hiragana && s.is(i-1) == hiragana && !particle(s.r[end]) &&
		s.knownBefore(k) == k:
		return
	}
	if s.oneKanji(k, i) {
		s.propose(Name, "honorific", k-1, k)
		return
	}
	start := s.nameBeforeHonour(k, mark)
	if start == k || s.hasNoName(start, k) || k-start == 1 && s.polite(start) {
		return
	}
	s.propose(Name, "honorific", start, k)
}

// family reports whether a word is a surname.
func (s *search) family(i, k int) bool {
	mark, ok := s.listed.japanese.marked(s.folded, i, k)
	return ok && mark&surname != 0
}

// hasNoName reports whether a word before an honorific is not a name.
func (s *search) hasNoName(i, k int) bool {
	if noName.exactly(s.folded, i, k) {
		return true
	}
	// お and ご make the following word polite; 屋, 員 and so on end trades.
	if (s.r[i] == 'お' || s.r[i] == 'ご' || s.r[i] == '御') && s.is(i+1) == kanji {
		return true
	}
	switch s.r[k-1] {
	case '屋', '員', '者', '官', '士', '婦', '師', '係', '人', '長', '科', '課', '社', '店', '局', '室', '省', '庁', '会', '団', '隊', '派':
		_, known := s.listed.japanese.marked(s.folded, i, k)
		return !known
	}
	return false
}

// continues reports whether an honorific of one or two kanji is the start of a longer
// word: 様子, 君主, 先生方, 部長会議.
func (s *search) continues(i, end int) bool {
	c := s.is(end)
	switch s.r[i] {
	case '様':
		return c == kanji && s.at(end) != '方' && s.at(end) != '宛' && s.at(end) != '邸' && s.at(end) != '宅' &&
			s.at(end) != '分'
	case '君', '殿', '氏', '嬢', '家':
		return c == kanji && s.at(end) != '達'
	}
	return false
}

// nameBeforeHonour returns the start of the name that ends at an index, or the index if
// there is none.
func (s *search) nameBeforeHonour(k int, mark uint32) int {
	if start := s.knownBefore(k); start < k {
		return start
	}
	switch s.is(k - 1) {
	case kanji:
		start := s.back(k, 8, set(kanji))
		start = s.afterTitle(start, k)
		if mark == likelyName {
			if k-start >= 2 && k-start <= 4 && s.surnameLike(start, k) {
				return start
			}
			return k
		}
		if k-start > 5 || k-start == 1 && !s.lone(start) {
			return k
		}
		return start
	case katakana:
		start := s.back(k, 14, set(katakana))
		for s.at(start-1) == '・' && s.is(start-2) == katakana {
			start = s.back(start-1, 14, set(katakana))
		}
		if k-start < 2 || k-start > 24 || mark == likelyName && k-start < 3 {
			return k
		}
		return start
	case hiragana:
		if mark == likelyName {
			return k
		}
		start := s.back(k, 6, set(hiragana))
		if start > 0 && s.is(start-1) == hiragana {
			return k
		}
		if k-start >= 2 && k-start <= 4 && !s.sentence(start, k) {
			return start
		}
		return k
	case lower, upper:
		start := s.back(k, 20, set(lower, upper))
		if s.is(start-1) == space && s.latin(start-2) && s.class[start] == upper {
			if p := s.back(start-1, 20, set(lower, upper)); s.class[p] == upper && p < start-1 {
				start = p
			}
		}
		if k-start < 2 || s.allUpper(start, k) && k-start > 1 {
			return k
		}
		return start
	}
	return k
}

func (s *search) allUpper(i, j int) bool { return s.run(i, j-i, set(upper)) == j }

// lone reports whether a kanji is a surname by itself.
func (s *search) lone(i int) bool {
	mark, ok := s.listed.japanese.marked(s.folded, i, i+1)
	return ok && mark&surname != 0 && s.r[i] != '王' // 王様
}

// sentence reports whether kana are the end of a phrase, not a name.
func (s *search) sentence(i, k int) bool {
	if noName.exactly(s.folded, i, k) || particle(s.r[i]) {
		return true
	}
	for _, w := range [...]string{"たく", "みな", "です", "ます", "から", "ない", "した", "って", "して", "ぶん", "ずい", "おっ", "おば", "おじ",
		"もの", "こと", "だい"} {
		if s.ends(k, w) || s.has(i, w) {
			return true
		}
	}
	return false
}

// afterTitle removes what is not part of a name from the front of a row of kanji: 営業部長田中
// and the like.
func (s *search) afterTitle(i, k int) int {
	for j := i; j < k; j++ {
		if e, _ := honorifics.at(s.folded, j); e > 0 && e < k && e > i && e-j > 1 {
			i = e
			j = e - 1
		}
	}
	for j := i; j < k; j++ {
		if e, _ := unitsOfCompany.at(s.folded, j); e > 0 && e < k {
			i = e
			j = e - 1
		}
	}
	if e, _ := beforeName.at(s.folded, i); e > 0 && e < k {
		if _, ok := s.listed.japanese.marked(s.folded, i, k); !ok && (e-i > 1 || k-i > 3) {
			i = e
		}
	}
	return i
}

// surnameLike reports whether all kanji are ones used in surnames.
func (s *search) surnameLike(i, k int) bool {
	for j := i; j < k; j++ {
		if !surnameLetters.has(s.r[j]) && s.r[j] != '々' {
			return false
		}
	}
	return true
}

// givenLike reports whether a text is one to three letters used in given names.
func (s *search) givenLike(i, k int) bool {
	if k-i < 1 || k-i > 3 {
		return false
	}
	for j := i; j < k; j++ {
		if !s.listed.letters.has(s.r[j]) && s.r[j] != '々' && s.class[j] != hiragana {
			return false
		}
	}
	return true
}

// knownBefore returns the start of a full name, a surname or a given name of the
// gazetteer that ends at an index and is not the end of a longer word; the index if there
// is none.
func (s *search) knownBefore(k int) int {
	best := k
	for i := k - 1; i >= max(0, k-9); i-- {
		if c := s.class[i]; c != kanji && c != hiragana && c != katakana && c != space {
			break
		}
		if s.is(i) == space || !s.startsHere(i) {
			continue
		}
		if e, sure := s.fullName(i); e == k && sure {
			best = i
			continue
		}
		if mark, ok := s.listed.japanese.marked(s.folded, i, k); ok && mark&(surname|given) != 0 &&
			!noName.exactly(s.folded, i, k) {
			if k-i > 1 || best == k {
				best = i
			}
		}
	}
	if k-best == 1 && s.is(best-1) == kanji {
		return k
	}
	if s.is(best) == katakana && s.joinsParts(best-1) && s.is(best-2) == katakana {
		return k // the name has more parts
	}
	return best
}

// startsHere reports whether a name may begin at an index: after another script, or after
// a word that comes before names.
func (s *search) startsHere(i int) bool {
	c, before := s.class[i], s.is(i-1)
	switch {
	case before != c:
		return !(c == hiragana && (before == kanji || before == katakana) && !s.given(i))
	case c == hiragana:
		return particle(s.r[i-1])
	case c == katakana:
		return false
	}
	if e, _ := s.titleBefore(i); e {
		return true
	}
	return false
}

// given reports whether kana are a given name after a surname in kanji.
func (s *search) given(i int) bool {
	st, mark := s.listed.japanese.before(s.folded, i)
	return st >= 0 && mark&surname != 0
}

// titleBefore reports whether a title ends just before an index, where a name begins.
func (s *search) titleBefore(i int) (ok bool, start int) {
	if s.titles.of(s.at(i-1), s.at(i-2)) == 0 {
		return false, 0
	}
	if st, _ := beforeName.before(s.folded, i); st >= 0 && i-st >= 2 {
		return true, st
	}
	if st, _ := unitsOfCompany.before(s.folded, i); st >= 0 && i-st >= 2 {
		return true, st
	}
	if st, mark := honorifics.before(s.folded, i); st >= 0 && i-st >= 2 && mark == likelyName {
		return true, st
	}
	if st, _ := legalForms.before(s.folded, i); st >= 0 {
		return true, st
	}
	if st, _ := kin.before(s.folded, i); st >= 0 {
		return true, st
	}
	return false, 0
}

// fullName returns the end of a surname and given name that begin at an index; sure
// reports whether there is one.
func (s *search) fullName(i int) (end int, sure bool) {
	list := s.listed.japanese.of(s.folded, i)
	if len(list) == 0 || notFull.startsAt(s.folded, i) {
		return 0, false
	}
	for _, e := range list {
		if e.mark&surname == 0 || !s.spells(i, e.word) {
			continue
		}
		m := i + len(e.word)
		g := m
		if s.is(g) == space && s.japanese(g+1) {
			g++
		}
		if g == m && len(e.word) == 1 && e.mark&doubtful != 0 && !s.listedGiven(g) {
			continue // 古 + 生代
		}
		if g2 := s.givenAt(g, e.mark&doubtful != 0); g2 > 0 && (g2-g > 1 || g > m || e.mark&doubtful == 0 ||
			len(e.word) > 1) {
			if g == m && s.class[i] == hiragana && s.class[g] == kanji {
				continue // うちの蒼
			}
			if g > m && s.class[g] == hiragana && s.class[i] == kanji && s.is(g2) == hiragana && !s.boundary(g2) {
				continue
			}
			return g2, true
		}
	}
	return 0, false
}

// givenAt returns the end of a given name that begins at an index; 0 if there is none. If
// the surname is in doubt, the given name must be in the gazetteer.
func (s *search) givenAt(i int, doubt bool) int {
	if c := s.is(i); c != kanji && c != hiragana && c != katakana {
		return 0
	}
	for _, e := range s.listed.japanese.of(s.folded, i) {
		if e.mark&given == 0 || !s.spells(i, e.word) {
			continue
		}
		j := i + len(e.word)
		attached := s.is(i-1) != space
		if attached && (notGiven.exactly(s.folded, i, j) || s.class[i] == katakana && len(e.word) < 3) {
			continue
		}
		if !s.boundary(j) || len(e.word) == 1 && doubt && s.class[i] != kanji {
			continue
		}
		return j
	}
	if s.class[i] == katakana {
		return s.kanaGiven(i, given)
	}
	if s.class[i] != kanji {
		return 0
	}
	if e, _ := honorifics.at(s.folded, i); e > 0 {
		return 0
	}
	for j := s.run(i, 3, set(kanji)); j >= i+2; j-- {
		if s.givenLike(i, j) && s.boundary(j) && !notGiven.exactly(s.folded, i, j) && (!doubt || givenEnd(s.r[j-1])) {
			return j
		}
	}
	return 0
}

// listedGiven reports whether a given name of two letters or more that is no other word begins
// at an index.
func (s *search) listedGiven(i int) bool {
	for _, e := range s.listed.japanese.of(s.folded, i) {
		if e.mark&given != 0 && e.mark&doubtful2 == 0 && len(e.word) > 1 && s.spells(i, e.word) {
			return true
		}
	}
	return false
}

// givenEnd reports whether a kanji often ends given names.
func givenEnd(r rune) bool { return givenEnds.has(r) }

var givenEnds = letterSet(`史典紗結凛蓮陽咲莉羽優悠乃晴愛彩歩実友剛健誠勉豊茂隆修稔清勝弥朋宏洋純淳潤聡智俊駿隼慎学渉航蒼湊碧葵萌芽衣沙那央臣伸輔祐佑裕康秀久寿巳己弦律子美恵郎太男夫雄介助樹香奈菜代江枝也哉斗
	翔輝司志之彦人治明弘博浩佳花華里理紀希貴織穂帆絵緒音吾悟平朗亮真馬磨吉蔵造三一二次士生毅登成信義行幸孝`)

// boundary reports whether a name may end before an index, because no letter of the same
// word follows.
func (s *search) boundary(j int) bool {
	switch s.is(j) {
	case kanji:
		e, _ := honorifics.at(s.folded, j)
		if e > 0 {
			return true
		}
		e, _ = behindName.at(s.folded, j)
		return e > 0
	case hiragana:
		e, _ := particles.at(s.folded, j)
		return e > 0
	case katakana:
		e, _ := honorifics.at(s.folded, j)
		return e > 0
	}
	return true
}

// known proposes names of the gazetteer without an introduction at the start of a word: full names, and surnames
// and given names that are not other words.
func (s *search) known(i int) {
	if end := s.presented(i); end > 0 {
		s.propose(Name, "whose", i, end)
		return
	}
	if end, sure := s.fullName(i); sure {
		s.propose(Name, "full name", i, end)
		return
	}
	end, rule := 0, Rule("shape")
	switch s.class[i] {
	case kanji:
		end = max(s.rareName(i), s.oldName(i))
	case katakana:
		end, rule = s.katakanaName(i)
	}
	if end > 0 {
		s.propose(Name, rule, i, end)
		return
	}
	for _, e := range s.listed.japanese.of(s.folded, i) {
		j := i + len(e.word)
		if !s.spells(i, e.word) ||
			s.class[j-1] != s.is(j) && s.is(j) == kanji && s.class[i] != kanji {
			continue
		}
		if s.alone(i, j, e.mark) {
			s.propose(Name, "gazetteer", i, j)
			return
		}
	}
	if end := s.surnameAt(i); end > 0 && (s.saysWho(i, end) || s.actsLikePerson(i, end)) {
		s.propose(Name, "context", i, end)
	}
}

// katakanaName returns the end of a name in katakana that begins at an index, and the rule that says so; 0 if there
// is none.
func (s *search) katakanaName(i int) (int, Rule) {
	if end := s.foreignName(i); end > 0 {
		return end, "foreign"
	}
	if end := s.kanaPair(i); end > 0 {
		return end, "shape"
	}
	if end := s.kanaSurname(i); end > 0 {
		return end, "context"
	}
	if end := s.kanaGiven(i, given|surname); end >= i+3 {
		return end, "gazetteer"
	}
	return 0, ""
}

// presented returns the end of a name of the gazetteer that follows a title, a relative or a
// company and names that person: 課長の小島, 息子の蓮です, 株式会社ムラタの関です. It returns 0 if there is none.
func (s *search) presented(i int) int {
	if s.at(i-1) != 'の' || s.class[i] != kanji {
		return 0
	}
	wants := surname
	if st, mark := kin.before(s.folded, i-1); st >= 0 {
		if wants = given; mark == role {
			wants = given | surname
		}
	} else if st, mark := honorifics.before(s.folded, i-1); (st < 0 || mark != likelyName || i-1-st < 2) &&
		!s.firmBefore(i-1) {
		return 0
	}
	for _, e := range s.listed.japanese.of(s.folded, i) {
		j := i + len(e.word)
		if e.mark&wants == 0 || !s.spells(i, e.word) || noName.exactly(s.folded, i, j) ||
			places.exactly(s.folded, i, j) {
			continue
		}
		says, _ := presents.at(s.folded, j)
		if says > 0 || j == len(s.r) || s.is(j) == newline ||
			len(e.word) > 1 && wants&e.mark&surname != 0 && s.boundary(j) && !s.placeBehind(j) && s.is(j) != other {
			return j
		}
	}
	return 0
}

// firmBefore reports whether a company with a legal form ends at an index, or one that a
// trade ends.
func (s *search) firmBefore(k int) bool {
	if st, _ := trades.before(s.folded, k); st >= 0 && k-st < k && nameClasses.has(s.is(st-1)) {
		return true
	}
	start := s.back(k, longestName, nameClasses)
	if start == k && legalForms.endsAt(s.folded, s.back(k, 9, set(hiragana))) {
		return true
	}
	if st, _ := legalForms.before(s.folded, start); st >= 0 && s.at(start-1) == ')' {
		return true
	}
	for ; start < k; start++ {
		if e, _ := legalForms.at(s.folded, start); e > 0 {
			return true
		}
	}
	return false
}

// rareName returns the end of a name whose surname is not in the gazetteer: surname
// kanji, a space and given-name kanji; or surname kanji and a given name of the
// gazetteer. It returns 0 if none begins at an index.
func (s *search) rareName(i int) int {
	if s.class[i] != kanji {
		return 0
	}
	row := s.run(i, 7, set(kanji))
	if end := s.spacedName(i, row); end > 0 {
		return end
	}
	if end := s.rareRow(i, row); end > 0 && !noName.exactly(s.folded, i, row) {
		return end
	}
	return 0
}

// rareRow is rareName for a row of kanji that has no space within the name, or a surname for itself.
func (s *search) rareRow(i, row int) int {
	if row-i > 6 {
		return 0
	}
	if s.is(row) == space && row-i >= 2 && row-i <= 3 && s.surnameLike(i, row) && s.is(row+1) == kanji {
		end := s.run(row+1, 4, set(kanji))
		if mark, ok := s.listed.japanese.marked(s.folded, row+1, end); ok && mark&given != 0 && s.boundary(end) {
			return end
		}
		if n := end - row - 1; n == 2 && s.givenLike(row+1, end) && givenEnd(s.r[end-1]) && s.boundary(end) &&
			!s.notPerson(i, row, end) {
			return end
		}
	}
	for _, m := range [...]int{2, 1, 3} {
		g := i + m
		if g >= row || !s.surnameLike(i, g) {
			continue
		}
		if j := s.boundGiven(g); j > 0 && !s.notPerson(i, g, g) {
			return j
		}
	}
	return 0
}

// boundGiven returns the end of a given name of two letters or more that is no other word, and that no letter of the
// same word follows; 0 if none begins at an index.
func (s *search) boundGiven(i int) int {
	for _, e := range s.listed.japanese.of(s.folded, i) {
		if e.mark&given == 0 || e.mark&doubtful2 != 0 || len(e.word) < 2 {
			continue
		}
		if j := i + len(e.word); s.spells(i, e.word) && s.boundary(j) {
			return j
		}
	}
	return 0
}

// spacedName returns the end of a surname of the gazetteer, a space and one to three kanji
// that may be a given name; 0 if there is none.
func (s *search) spacedName(i, row int) int {
	if s.is(row) != space || s.is(row+1) != kanji {
		return 0
	}
	mark, ok := s.listed.japanese.marked(s.folded, i, row)
	end := s.run(row+1, 8, set(kanji))
	for j := row + 2; j < end; j++ {
		if e, _ := honorifics.at(s.folded, j); e == end {
			end = j
			break
		}
	}
	if !ok || mark&surname == 0 || end-row > 4 || end-row < 3 || !s.givenLike(row+1, end) || !s.boundary(end) ||
		notGiven.exactly(s.folded, row+1, end) || s.notPerson(i, row, end) ||
		mark&doubtful != 0 && row-i > 1 && !givenEnd(s.r[end-1]) {
		return 0
	}
	if e, _ := honorifics.at(s.folded, row+1); e > 0 {
		return 0
	}
	if mark, ok := s.listed.japanese.marked(s.folded, row+1, end); ok && mark&surname != 0 && mark&given == 0 {
		return 0 // two surnames
	}
	return end
}

// notPerson reports whether what looks like a name is a place, a day or another word.
func (s *search) notPerson(i, middle, end int) bool {
	return beforeName.exactly(s.folded, i, middle) || noName.exactly(s.folded, i, middle) || places.exactly(s.folded,
		i, middle) ||
		middle < end && (places.exactly(s.folded, middle+1, end) || beforeName.exactly(s.folded, middle+1, end))
}

// startsRow reports whether an index is the start of a word.
func (s *search) startsRow(i int) bool {
	c, before := s.class[i], s.is(i-1)
	if c == kanji && before == kanji {
		if s.at(i-1) == '私' && s.is(i-2) != kanji {
			return true
		}
		ok, _ := s.titleBefore(i)
		return ok
	}
	if c == hiragana {
		return before != hiragana && before != kanji && before != katakana
	}
	return before != c
}

// alone reports whether a word of the gazetteer is a name even without any hint.
func (s *search) alone(i, j int, mark uint32) bool {
	switch {
	case s.class[i] == hiragana:
		return mark&given != 0 && mark&(doubtful|doubtful2|surname) == 0 && j-i >= 3 && s.kanaBoundary(j)
	case s.class[i] == katakana && mark&given == 0:
		return false
	case s.class[i] == katakana:
		if mark&doubtful2 != 0 || j-i < 3 || s.at(j) == '・' && !s.foreign(i, j) || s.is(j) == katakana ||
			s.at(i-1) == '・' {
			return false
		}
		return s.boundary(j)
	case mark&surname != 0 && mark&doubtful == 0 && j-i >= 2:
		return s.boundary(j) && !s.placeBehind(j)
	case mark&given != 0 && mark&(doubtful2|surname) == 0 && j-i >= 2:
		return s.boundary(j) && !s.placeBehind(j)
	}
	return false
}

// kanaBoundary reports whether a name in hiragana is followed by a particle or a sign,
// and not by the rest of another word.
func (s *search) kanaBoundary(j int) bool {
	switch s.is(j) {
	case hiragana:
		e, _ := kanaParticles.at(s.folded, j)
		return e > 0
	case kanji, katakana, upper, lower, digit, letter:
		return false
	}
	return s.at(j) == '、' || s.at(j) == ',' || s.at(j) == '!' || s.at(j) == '?'
}

// kanaPair returns the end of a Japanese surname and given name in katakana, with or
// without a space: ヤマダ タロウ. 0 if none begins at an index.
func (s *search) kanaPair(i int) int {
	if s.class[i] != katakana {
		return 0
	}
	row := s.run(i, 7, set(katakana))
	if s.is(row) == katakana {
		return 0
	}
	if s.is(row) == space && s.is(row+1) == katakana {
		end := s.run(row+1, 7, set(katakana))
		if s.inHiragana(i, row)&surname != 0 && s.inHiragana(row+1, end)&given != 0 && s.is(end) != katakana {
			return end
		}
		return 0
	}
	for m := i + 2; m <= row-2; m++ {
		if s.inHiragana(i, m)&surname != 0 && s.inHiragana(m, row)&given != 0 {
			return row
		}
	}
	return 0
}

// kanaGiven returns the end of a Japanese given name in katakana that begins at an index,
// is no other word, and has no mark of the gazetteer besides the given ones.
func (s *search) kanaGiven(i int, marks uint32) int {
	if s.class[i] != katakana {
		return 0
	}
	end := s.run(i, 6, set(katakana))
	m := s.inHiragana(i, end)
	if s.is(end) == katakana || m&given == 0 || m&^marks != 0 && s.is(i-1) != kanji || !s.boundary(end) {
		return 0
	}
	return end
}

// kanaSurname returns the end of a surname in katakana with which somebody introduces themself:
// シミズです; 0 if there is none.
func (s *search) kanaSurname(i int) int {
	if s.class[i] != katakana {
		return 0
	}
	end := s.run(i, 7, set(katakana))
	if end-i < 3 || s.inHiragana(i, end)&surname == 0 {
		return 0
	}
	if s.has(end, "と申") || s.has(end, "といいます") || s.opensLine(i) && (s.has(end, "です") || s.has(end, "でございます")) {
		return end
	}
	return 0
}

// inHiragana returns what the gazetteer says about katakana turned into hiragana.
func (s *search) inHiragana(i, j int) uint32 {
	var word [8]rune
	if j-i > len(word) || j-i < 2 {
		return 0
	}
	for k := i; k < j; k++ {
		r := s.r[k]
		if r >= 'ァ' && r <= 'ヶ' {
			r -= 'ァ' - 'ぁ'
		}
		word[k-i] = r
	}
	return s.listed.japanese.exact(word[:j-i])
}

// foreign reports whether a name in katakana continues after a middle dot.
func (s *search) foreign(_, j int) bool { return s.is(j+1) == katakana }

// placeBehind reports whether the next word turns a name into a place or a thing: 山田駅.
func (s *search) placeBehind(j int) bool {
	switch s.at(j) {
	case '駅', '市', '区', '町', '村', '県', '線', '川', '山', '島', '城', '寺', '社', '店', '屋', '橋', '通', '沼', '湖', '病', '医', '酒',
		'製':
		return true
	}
	return false
}

// introduced proposes the name before such words.
func (s *search) introduced(i int) {
	if s.has(i, "でございます") {
		if start := s.knownBefore(i); start < i && i-start >= 2 {
			s.propose(Name, "introduction", start, i)
		}
		return
	}
	start := s.introducedStart(i)
	if start < i && !noName.exactly(s.folded, start, i) && !notIntroduced.exactly(s.folded, start, i) {
		s.propose(Name, "introduction", start, i)
	}
}

func (s *search) introducedStart(i int) int {
	if start := s.knownBefore(i); start < i && (i-start >= 2) {
		return start
	}
	switch s.is(i - 1) {
	case kanji:
		start := s.back(i, 6, set(kanji))
		start = s.afterTitle(start, i)
		if s.is(start-1) == space && s.is(start-2) == kanji {
			start = s.back(start-1, 3, set(kanji))
		}
		if n := i - start; n >= 2 && n <= 6 && s.nameLike(start, i) || n == 1 && s.oneKanji(i, i) {
			return start
		}
	case katakana:
		start := s.back(i, 14, set(katakana))
		for s.at(start-1) == '・' || s.is(start-1) == space && s.is(start-2) == katakana {
			start = s.back(start-1, 14, set(katakana))
		}
		if i-start >= 2 {
			return start
		}
	case hiragana:
		start := s.back(i, 5, set(hiragana))
		if s.is(start-1) == kanji && i-start >= 2 { // 渡邉さくら
			if st, mark := s.listed.japanese.before(s.folded, start); st >= 0 && mark&surname != 0 {
				return st
			}
		}
		if s.is(start-1) != hiragana && s.is(start-1) != kanji && i-start >= 2 && !s.sentence(start, i) {
			if s.is(start-1) == space && s.is(start-2) == kanji {
				return s.back(start-1, 4, set(kanji))
			}
			return start
		}
	case lower, upper:
		start := s.capitalsBefore(i, 3)
		return start
	}
	return i
}

// nameLike reports whether kanji may be a surname, alone or with a given name.
func (s *search) nameLike(i, j int) bool {
	for k := i; k < j; k++ {
		if r := s.r[k]; !surnameLetters.has(r) && !s.listed.letters.has(r) && r != '々' && r != ' ' {
			return false
		}
	}
	return true
}

// introduces proposes the name after such a word.
func (s *search) introduces(end int, mark uint32) {
	k := end
	if mark == behindLabel {
		k = s.run(k, 1, set(space))
		if s.at(k) == ')' {
			k++
		}
		switch {
		case s.at(k) == ':' || s.at(k) == '=' || s.at(k) == '/':
			k++
		case s.at(k) == 'は' && s.is(k+1) != hiragana:
			k++
		default:
			return
		}
	}
	k = s.run(k, 2, set(space))
	j := s.nameEnd(k)
	if j == k || noName.exactly(s.folded, k, j) || notLabelled.exactly(s.folded, k, j) {
		return
	}
	if mark == firstSelf {
		e, _ := copulas.at(s.folded, j)
		if e < 0 || !s.likelyPerson(k, j) {
			return
		}
	} else if s.class[k] == kanji && !s.nameLike(k, s.run(k, j-k, set(kanji))) {
		return
	}
	s.propose(Name, "label", k, j)
}

// nameEnd returns the end of what may be a name after a label.
func (s *search) nameEnd(k int) int {
	if e, sure := s.fullName2(k); sure {
		return e
	}
	j := k
	switch s.is(k) {
	case kanji:
		j = s.run(k, 6, set(kanji))
		if s.is(j) == space && s.is(j+1) == kanji && !namedBy.startsAt(s.folded, j+1) {
			e := s.run(j+1, 4, set(kanji))
			bare := e
			for n := j + 2; n < e; n++ {
				if h, _ := honorifics.at(s.folded, n); h == e {
					bare = n
				}
			}
			if e-j <= 4 && s.at(e) != ':' && (s.nameLike(j+1, bare) || !s.family(k, j)) {
				j = e
			}
		}
		if e := s.cutHonour(k, j); e > k {
			j = e
		}
		if j-k > 8 || j-k < 2 {
			return k
		}
	case katakana:
		j = s.run(k, 14, set(katakana))
		for (s.at(j) == '・' || s.is(j) == space) && s.is(j+1) == katakana {
			j = s.run(j+1, 14, set(katakana))
		}
	case hiragana:
		j = s.run(k, 6, set(hiragana))
		if s.is(j) == space && s.is(j+1) == hiragana {
			return s.run(j+1, 6, set(hiragana))
		}
		if c := s.is(j); c != newline && c != other && c != space {
			return k
		}
		if j-k < 2 || s.sentence(k, j) {
			return k
		}
	case upper:
		return max(k, s.capitals(k, 3))
	}
	return j
}

// fullName2 is fullName at any index.
func (s *search) fullName2(i int) (end int, sure bool) {
	if i >= len(s.r) {
		return 0, false
	}
	return s.fullName(i)
}

// cutHonour returns the index of an honorific inside a row of kanji.
func (s *search) cutHonour(k, j int) int {
	for e := k + 2; e < j; e++ {
		if h, _ := honorifics.at(s.folded, e); h == j {
			return e
		}
	}
	return 0
}

// likelyPerson reports whether a text is a name of the gazetteer, or kanji that make a
// surname and a given name.
func (s *search) likelyPerson(i, j int) bool {
	if e, sure := s.fullName(i); sure && e == j {
		return true
	}
	if mark, ok := s.listed.japanese.marked(s.folded, i, j); ok && mark&(doubtful|doubtful2) == 0 {
		return true
	}
	if s.is(i) == upper {
		return s.givenLatin(i, j)
	}
	return false
}
