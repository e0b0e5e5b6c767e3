package pii

// births proposes dates of birth: a date with a word for birth before or after it.
func (s *search) births() {
	last := 0
	for _, c := range s.cues {
		if c.mark&cueBirth == 0 {
			continue
		}
		if i, j := s.dateAfter(c.j); j > last {
			s.propose(Birth, "context", i, j)
			last = j
			continue
		}
		if i, j := s.dateBefore(c.i); j > last {
			s.propose(Birth, "context", i, j)
			last = j
		}
	}
}

const birthReach = 10 // runes between the word and the date

// dateAfter returns a date that begins soon after an index.
func (s *search) dateAfter(i int) (start, end int) {
	for k := i; k < i+birthReach; k++ {
		if c := s.is(k); c == newline || s.at(k) == '。' {
			break
		}
		if j := s.date(k); j > 0 {
			return k, j
		}
	}
	return 0, 0
}

// dateBefore returns a date that ends where the word begins, or just before.
func (s *search) dateBefore(i int) (start, end int) {
	for k := max(0, i-26); k < i; k++ {
		if j := s.date(k); j > 0 && j <= i && (j >= i-2 || s.linksBirth(j, i)) {
			return k, j
		}
	}
	return 0, 0
}

// linksBirth reports whether only "is my" or the like stands between a date and a word for
// birth.
func (s *search) linksBirth(j, i int) bool {
	for _, link := range [...]string{" is my ", " is her ", " is his ", " is the ", "が私の", "が僕の", "は私の", "が"} {
		if s.has(j, link) && j+len([]rune(link)) == i {
			return true
		}
	}
	return false
}

var (
	eras   = words(`明治 大正 昭和 平成 令和 M T S H R`)
	months = words(`January February March April May June July August September October November December Jan Feb Mar
		Apr Jun Jul Aug Sep Sept Oct Nov Dec`)
)

// date returns the end of a full date with its year that begins at an index, 0 if there
// is none.
func (s *search) date(i int) int {
	if s.word(i-1) || s.at(i-1) == '-' || s.at(i-1) == '/' {
		return 0
	}
	if j, _ := eras.at(s.folded, i); j >= 0 {
		return s.yearMonthDay(j, 1)
	}
	if j, _ := months.at(s.folded, i); j >= 0 {
		return s.monthFirst(j)
	}
	if s.is(i) != digit {
		return 0
	}
	if j := s.yearMonthDay(i, 4); j > 0 {
		return j
	}
	return s.dayFirst(i)
}

// number returns the end of one to most digits, 0 if there are none or more.
func (f *folded) number(i, most int) int {
	j := f.run(i, most+1, set(digit))
	if j == i || j-i > most {
		return 0
	}
	return j
}

// yearMonthDay reads 1990年5月3日, 1990/5/3, 1990-05-03, 1990.5.3 and 19900503.
func (s *search) yearMonthDay(i, least int) int {
	if s.at(i) == '元' && s.at(i+1) == '年' {
		return s.monthDay(i + 2)
	}
	j := s.run(i, 9, set(digit))
	switch {
	case j-i == 8 && least == 4:
		if s.r[i] == '1' || s.r[i] == '2' {
			return j
		}
		return 0
	case j-i < 1 || j-i > 4 || j-i < least:
		return 0
	}
	k := s.run(j, 1, set(space))
	switch s.at(k) {
	case '年':
		return s.monthDay(s.run(k+1, 1, set(space)))
	case '/', '-', '.':
		m := s.number(k+1, 2)
		if m == 0 || s.at(m) != s.at(k) {
			return 0
		}
		return s.number(m+1, 2)
	}
	return 0
}

// monthDay reads 5月3日.
func (s *search) monthDay(i int) int {
	m := s.number(i, 2)
	if m == 0 {
		return 0
	}
	m = s.run(m, 1, set(space))
	if s.at(m) != '月' {
		return 0
	}
	d := s.number(s.run(m+1, 1, set(space)), 2)
	if d == 0 {
		return 0
	}
	if d = s.run(d, 1, set(space)); s.at(d) == '日' {
		return d + 1
	}
	return 0
}

// monthFirst reads the rest of May 3, 1990.
func (s *search) monthFirst(i int) int {
	if s.at(i) == '.' {
		i++
	}
	d := s.number(s.run(i, 1, set(space)), 2)
	if d == 0 {
		return 0
	}
	return s.year(s.ordinal(d))
}

// ordinal skips th and the like.
func (s *search) ordinal(i int) int {
	for _, e := range [...]string{"st", "nd", "rd", "th"} {
		if s.has(i, e) {
			return i + 2
		}
	}
	return i
}

// year reads a comma or a space, and four digits.
func (s *search) year(i int) int {
	if s.at(i) == ',' {
		i++
	}
	i = s.run(i, 1, set(space))
	if y := s.run(i, 5, set(digit)); y-i == 4 {
		return y
	}
	return 0
}

// dayFirst reads 12/31/1979, 31.12.1979, 3 May 1990 and 3rd of May 1990.
func (s *search) dayFirst(i int) int {
	j := s.number(i, 2)
	if j == 0 {
		return 0
	}
	if sign := s.at(j); sign == '/' || sign == '.' || sign == '-' {
		m := s.number(j+1, 2)
		if m == 0 || s.at(m) != sign {
			return 0
		}
		y := s.run(m+1, 5, set(digit))
		if y-m-1 == 4 || y-m-1 == 2 {
			return y
		}
		return 0
	}
	j = s.run(s.ordinal(j), 1, set(space))
	if s.has(j, "of ") {
		j += 3
	}
	m, _ := months.at(s.folded, j)
	if m < 0 {
		return 0
	}
	if s.at(m) == '.' {
		m++
	}
	return s.year(m)
}
