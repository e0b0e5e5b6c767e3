package pii

// legalForms proposes companies and schools with names in Latin letters.
func (s *search) legalForms() {
	for i := 0; i < len(s.r); i++ {
		if s.r[i] == '&' && s.is(i-1) == space {
			if end, mark := forms.at(s.folded, i); end > 0 {
				s.englishCompany(i, end, mark)
				continue
			}
		}
		if s.class[i] != upper && s.class[i] != lower || s.word(i-1) {
			continue
		}
		may := s.starts[i]
		if may&startsInc != 0 && (s.class[i] == upper || s.r[i] == 'p' || s.r[i] == 'i' || s.r[i] == 'l') {
			if end, mark := forms.at(s.folded, i); end > 0 {
				s.englishCompany(i, end, mark)
				continue
			}
		}
		if s.class[i] == upper {
			if end := s.partnership(i); end > 0 {
				s.propose(Company, "partners", i, end)
				i = end - 1
				continue
			}
		}
		if s.class[i] == upper && may&startsCollege != 0 {
			if end, _ := famousSchools.at(s.folded, i); end > 0 && s.famousSchool(i, end) {
				s.propose(School, "short name", i, end)
				i = end - 1
				continue
			}
			if end, mark := englishSchools.at(s.folded, i); end > 0 {
				if j := s.englishSchool(i, end, mark); j > 0 {
					i = j - 1
				}
				continue
			}
		}
		if may&startsJob == 0 {
			continue
		}
		if end, _ := englishClinics.at(s.folded, i); end > 0 {
			if j := s.englishClinic(i, end); j > 0 {
				i = j - 1
			}
			continue
		}
		if end, _ := employers.at(s.folded, i); end > 0 {
			s.employer(end)
		}
	}
}

// Legal forms. A marked one is also a word, so it needs a capital, and a name that is not
// a common word.
var forms = words(`s.a.r.l. s.a.r.l eurl s.n.c. gmbh_&_co._kg gmbh_&_co_kg d.o.o. sp._z_o.o. s.r.o. kft zrt bhd
		sdn_bhd sdn._bhd. s.a._de_c.v. sa_de_cv lda g.k. y.k. pjsc jsc inc inc. incorporated ltd ltd. limited llc
		l.l.c. llp l.l.p. corp corp. corporation gmbh plc pty s.a. s.a.s. s.p.a. b.v. n.v. k.k. kk
		kabushiki_kaisha co.,_ltd. co.,_ltd co._ltd. co._ltd co.,ltd. co.,ltd pvt._ltd. pvt_ltd pvt._ltd
		private_limited pte._ltd. pte_ltd pty_ltd pty._ltd. oyj a/s e.v. kg s.r.l. srl sàrl sarl aps ltda s.l.
		holdings`).also(1, `ag sa
		ab oy lp co co. company group and_sons &_sons &_co &_co. and_co bank partners associates industries
		technologies solutions consulting logistics enterprises ventures capital foundation bv nv se as`)

// noCompanies are capitalised words that alone are not a name before a legal form.
var noCompanies = words(`the a an my your our his her their this that its it each every any some no new old parent
	holding big small large private public limited foreign local national international startup insurance software
	trading phone power gas oil contact call ask tell meet see visit join told asked email dear also car tech media
	shell sister i we you they he she what which who when where if in at on of for to by with and or but is was are
	were be been has have had do does did will would can could should may might work world west east north south
	central commercial investment food blood data merchant retail savings piggy user age focus study working support
	peer control test target ethnic interest parking management operating publishing mr mrs ms dr good please dear
	hello hi yes`)

// englishCompany proposes a legal form together with the capitalised words before it.
func (s *search) englishCompany(i, end int, mark uint32) {
	if s.class[i] != upper && (mark == 1 || end-i > 4) && s.r[i] != '&' && !s.has(i, "and") {
		return
	}
	k := i
	for k > 0 && s.class[k-1] == space {
		k--
	}
	if s.at(k-1) == ',' && mark == 0 {
		k--
	}
	if k == i {
		return
	}
	start := s.capitalsBefore(k, 5)
	if start == k {
		return
	}
	start = s.dropLeading(start, k)
	if start >= k || noCompanies.exactly(s.folded, start, k) || s.ends(k, "NOT") || mark == 1 && end-i == 2 &&
		s.shouted(start, k) {
		return
	}
	if mark == 1 && (s.shortForm(i, end) && start+2 > k) {
		return
	}
	if s.at(end-1) != '.' && s.at(end) == '.' && s.is(end+1) == space && s.is(end+2) == lower {
		end++
	}
	s.propose(Company, "legal form", start, end)
}

// shouted reports whether no letter is in lower case.
func (s *search) shouted(i, j int) bool {
	for ; i < j; i++ {
		if s.class[i] == lower {
			return false
		}
	}
	return true
}

func (s *search) shortForm(i, j int) bool { return j-i <= 2 }

// capitalsBefore goes back over at most most capitalised words, and the words that join
// them.
func (s *search) capitalsBefore(k, most int) int {
	start := k
	for range most {
		j := start
		if s.class[max(j-1, 0)] == space && j > 0 {
			j--
		}
		i := s.backWord(j)
		if s.ends(j, "St.") {
			i = j - 3
		}
		if i == j || s.at(j-1) == ',' && !s.partners(start, k) {
			break
		}
		if s.class[i] == upper || s.class[i] == digit && start < k {
			start = i
			continue
		}
		// and, of, & between words with capitals
		word := s.string(i, j)
		if start < k && nobiliary(word) && s.is(i-1) == space {
			if p := s.backWord(i - 1); p < i-1 && (s.class[p] == upper || nobiliary(s.string(p, i-1))) {
				start = i
				continue
			}
		}
		if word == "of" && s.person(i-1) {
			break
		}
		if start < k && (word == "and" || word == "of" || word == "&" || word == "the" || word == "de" ||
			word == "for") && s.is(i-1) == space {
			if p := s.backWord(i - 1); p < i-1 && s.class[p] == upper && !s.formIs(p, i-1) {
				start = p
				continue
			}
		}
		if s.class[i] == upper {
			start = i
		}
		break
	}
	return start
}

// partners reports whether "and" or & joins the words between two indices, so that a comma
// before them lists one more partner: Crowe, Hale & Birch.
func (s *search) partners(i, k int) bool {
	for ; i < k; i++ {
		if s.r[i] == '&' || s.has(i, " and ") {
			return true
		}
	}
	return i == k && s.at(i-1) == ',' // Blue Heron, Inc.
}

// person reports whether a word that ends at an index is a name of the gazetteer.
func (s *search) person(j int) bool {
	i := s.back(j, 24, set(upper, lower))
	return s.is(i) == upper && s.latinMark(i, j) != 0
}

// formIs reports whether a word is the legal form of another company.
func (s *search) formIs(i, j int) bool {
	e, mark := forms.at(s.folded, i)
	return e >= j && mark == 0
}

// backWord returns the start of the word that ends at an index.
func (s *search) backWord(j int) int {
	if s.at(j-1) == '&' {
		return j - 1
	}
	i := j
	if s.at(i-1) == ',' && s.latin(i-2) {
		i--
		j--
	}
	for i > 0 && j-i < 30 && (s.word(i-1) || (s.r[i-1] == '\'' || s.r[i-1] == '-' || s.r[i-1] == '.' ||
		s.r[i-1] == '&') && s.word(i)) {
		i--
	}
	if s.at(i) == '.' || s.at(i) == '-' {
		i++
	}
	return i
}

// dropLeading removes common words from the front of a name: At Acme, The Acme.
func (s *search) dropLeading(i, k int) int {
	for i < k {
		j := i
		for j < k && s.class[j] != space {
			j++
		}
		year := j-i == 4 && s.run(i, 4, set(digit)) == j
		if j >= k || !year && !noCompanies.exactly(s.folded, i, j) {
			return i
		}
		for j < k && s.class[j] == space {
			j++
		}
		i = j
	}
	return i
}

// Words that end or begin the names of schools; a marked one begins them.
var englishSchools = words(`university college high_school middle_school elementary_school elementary primary_school
	grammar_school academy institute_of_technology secondary_school junior_high_school senior_high_school
	preparatory_school prep_school law_school medical_school business_school polytechnic kindergarten preschool
	nursery_school community_college state_university junior_high school_district conservatory senior_high
	comprehensive_school international_school charter_school day_school boarding_school high`).also(1, `university_of
		college_of academy_of institute_of school_of école universidad_de university_college technical_university_of
		universität
		universite_de`)

// famousSchools are schools by their everyday names; a marked one also means other things, and
// needs a word before it that says where somebody studies.
var famousSchools = words(`UCLA UCSD NYU UC_Berkeley UC_Davis UC_Irvine UC_San_Diego UC_Santa_Barbara Caltech LSE
		UCL UPenn UIUC CMU ETH_Zurich EPFL Georgia_Tech Virginia_Tech Texas_A&M UMass UConn Ole_Miss Penn_State
		Ohio_State SUNY CUNY INSEAD Sciences_Po Juilliard`).also(1, `Harvard Stanford Yale Princeton Cornell
		Dartmouth Columbia Oxford Cambridge Duke Brown Berkeley MIT USC Eton Harrow Imperial Purdue Rutgers Tulane
		Vanderbilt Waseda Keio Todai`)

// famousSchool reports whether such a name means the school: the others need study words.
func (s *search) famousSchool(i, end int) bool {
	_, mark := famousSchools.at(s.folded, i)
	if s.allUpper(i, end) && s.shouted(max(0, i-12), min(len(s.r), end+12)) || s.signBefore(i) || !s.apart(end) {
		return false
	}
	if mark == 0 {
		return true
	}
	st, _ := studies.before(s.folded, s.back(i, 1, set(space)))
	return st >= 0 && s.is(i-1) == space
}

// studies come before the place where somebody studies.
var studies = words(`studies_at study_at studied_at studying_at graduated_from graduate_of degree_from degree_at
		phd_from phd_at
	accepted_to accepted_at admitted_to got_into get_into attended attending attends went_to goes_to go_to
		enrolled_at enrolled_in
	student_at professor_at teaches_at transferred_to dropped_out_of alumni_of mba_from masters_from into
	 lecturer_at freshman_at
	sophomore_at senior_at undergrad_at applied_to rejected_by`)

// noEnglishSchools are words that do not make a name before such an ending.
var noEnglishSchools = words(`the a an my your our his her their this that state local public private same new old
	good best top junior senior community catholic technical medical law business art any some every each which what
	no first second third middle high elementary primary secondary national in at on of for to from and or i he she we
	they nearby former foreign online attend attended visit met meet study studied after before since until our free
	big small open when where there college university ivy`)

// englishSchool proposes the school that a word ends or begins. It returns the end of the
// proposal, 0 for none.
func (s *search) englishSchool(i, end int, mark uint32) int {
	start := i
	if k := i; s.is(k-1) == space {
		if start = s.capitalsBefore(k-1, 5); start == k-1 {
			start = i
		} else if start = s.dropSchool(start, k-1); start >= k-1 {
			start = i
		}
	}
	j := end
	if mark == 1 || s.has(end, " of ") {
		e := end
		if mark == 0 {
			e += 3
		}
		if k := s.capitals(s.run(e, 1, set(space)), 3); k > 0 {
			for s.has(k, " at ") || s.has(k, ", ") && s.campus(k+2) {
				n := s.capitals(s.run(k+1, 4, set(space, lower)), 2)
				if n == 0 {
					break
				}
				k = n
			}
			j = k
		} else if mark == 1 {
			return 0
		}
	}
	if j == end && (start == i || s.has(i, "High") && end-i == 4 && s.class[start] == upper &&
		noEnglishSchools.exactly(s.folded, start, i-1)) {
		return 0
	}
	if end-i == 4 && s.has(i, "High") && (j == end) {
		return 0 // Lincoln High: too often something else
	}
	s.propose(School, "head noun", start, j)
	return j
}

// campus reports whether a place follows a university and belongs to its name.
func (s *search) campus(i int) bool {
	return s.has(i, "Berkeley") || s.has(i, "Los Angeles") || s.has(i, "San Diego") || s.has(i, "Davis") || s.has(i,
		"Irvine")
}

// dropSchool removes words from the front that are not part of a school's name.
func (s *search) dropSchool(i, k int) int {
	for i < k {
		j := i
		for j < k && s.class[j] != space {
			j++
		}
		if !noEnglishSchools.exactly(s.folded, i, j) {
			return i
		}
		for j < k && s.class[j] == space {
			j++
		}
		i = j
	}
	return i
}

// employers are words that introduce who somebody works for.
var employers = words(`work_for works_for worked_for working_for work_at works_at worked_at working_at employed_by
	employed_at hired_by job_at intern_at interned_at interning_at engineer_at manager_at position_at career_at
	fired_from`)

// employer proposes the words with capitals after such words.
func (s *search) employer(i int) {
	k := s.run(i, 1, set(space))
	j := s.capitals(k, 4)
	if j == 0 || k == i || sentenceWords.exactly(s.folded, k, j) || s.placeName(k, j) {
		return
	}
	for (s.has(j, " & ") || s.has(j, " and ")) && s.is(s.run(j+1, 3, set(lower, other))+1) == upper {
		n := s.capitals(s.run(j+1, 3, set(lower, other))+1, 2)
		if n == 0 {
			break
		}
		j = n
	}
	if s.at(j-1) == '\'' {
		j--
	}
	s.propose(Company, "employer", k, j)
}

// partnership is the end of a firm that is called after its partners: Rodriguez, Hill and Watts,
// or Smith-Keller where no given name comes before. It is 0 if there is none.
func (s *search) partnership(i int) int {
	behind := s.run(i, longestWord, set(upper, lower))
	if s.at(behind) == '\'' { // O'Hara
		behind = s.run(behind+1, longestWord, set(upper, lower))
	}
	if sign := s.at(behind); sign != ',' && sign != '-' {
		return 0
	}
	end := s.partner(i)
	if end == 0 || s.afterCapital(i) || s.at(i-2) == '.' || s.at(i-2) == ',' {
		return 0
	}
	if s.at(end) == '-' {
		j := s.partner(end + 1)
		if j == 0 || s.nextCapital(j) > 0 || s.at(j) == '-' || !firmVerbs.startsAt(s.folded, s.run(j, 1, set(space))) {
			return 0
		}
		return j
	}
	if s.at(end) != ',' || s.is(end+1) != space {
		return 0
	}
	j := s.partner(end + 2)
	if j == 0 || !s.has(j, " and ") && !s.has(j, ", and ") {
		return 0
	}
	j = s.run(j, 6, set(space, lower, other))
	k := s.partner(j)
	if k == 0 || s.nextCapital(k) > 0 || people.startsAt(s.folded, s.run(k, 1, set(space))) {
		return 0
	}
	return k
}

// partner is the end of a family name that is no given name; 0 if none begins at an index.
func (s *search) partner(i int) int {
	if s.is(i) != upper || s.is(i+1) == upper {
		return 0
	}
	j := s.run(i, longestWord, set(upper, lower))
	if s.at(j) == '\'' && s.is(j+1) == upper { // O'Hara
		j = s.run(j+1, longestWord, set(upper, lower))
		if s.latinMark(i+2, j)&family == 0 {
			return 0
		}
		return j
	}
	m := s.latinMark(i, j)
	if m&family == 0 || m&first != 0 && m&doubtful2 == 0 || sentenceWords.exactly(s.folded, i, j) {
		return 0
	}
	return j
}

var (
	// people follow a list of persons, rather than one firm.
	people = words(`are were have will all both did do went came said met agreed won lost joined arrived who scored`)
	// firmVerbs follow a firm.
	firmVerbs = words(`is was has sent announced acquired sells sold offers hired filed reported will group inc ltd
		llc invoice
		account office employees employee customer shares stock`)
)
