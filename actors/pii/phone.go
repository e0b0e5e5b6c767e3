package pii

import "strings"

const leastPhone = 7 // digits of a telephone number, without its extension

// phone proposes the telephone number that begins a window of groups, and returns how
// many groups it used.
func (s *search) phone(window []group) int {
	i := window[0].i
	start := i
	plus := s.at(i-1) == '+' || s.at(i-1) == '(' && s.at(i-2) == '+'
	if plus {
		for s.at(start-1) == '+' || s.at(start-1) == '(' {
			start--
		}
	} else if s.at(start-1) == '(' {
		start--
	}
	if r := s.at(start - 1); !plus && (r == '$' || r == '¥' || r == '€' || r == '£' || r == '#' || r == '-' ||
		r == '.' ||
		r == ',' || r == '=' || r == '_' || r == '\\') && !s.before(cuePhone, start, 3) {
		return 0
	}
	for n := min(len(window), 7); n > 0; n-- {
		row := window[:n]
		if s.cutPhone(row[n-1].j) {
			continue
		}
		d, ok := s.digits(row)
		if !ok || len(d) < leastPhone {
			continue
		}
		if rule := s.phoneRule(row, d, plus, start); rule != "" {
			end := s.extension(row[n-1].j)
			if s.at(start) == '(' && !s.closes(start, end) {
				start++
			}
			s.propose(Phone, rule, start, end)
			return n
		}
	}
	return 0
}

// closes reports whether an open bracket is closed again.
func (f *folded) closes(i, j int) bool {
	for ; i < j; i++ {
		if f.r[i] == ')' {
			return true
		}
	}
	return false
}

// cutPhone is like cut, but an extension may follow directly.
func (s *search) cutPhone(j int) bool {
	return s.extension(j) == j && s.cut(j)
}

// extension returns the end of an extension after a number, such as x123.
func (s *search) extension(j int) int {
	k := j
	for k < j+2 && (s.is(k) == space || s.at(k) == ',' || s.at(k) == '(') {
		k++
	}
	end, _ := extensions.at(s.folded, k)
	if end < 0 {
		if s.at(k) != 'x' && s.at(k) != 'X' || s.is(k+1) != digit {
			return j
		}
		end = k + 1
	}
	for k = end; k < end+3 && (s.is(k) == space || s.at(k) == ':' || s.at(k) == '.'); k++ {
	}
	if end = s.run(k, 6, set(digit)); end == k || s.word(end) {
		return j
	}
	return end
}

var extensions = words(`内線 内線番号 ext extension ext.`)

// phoneRule returns the rule by which groups are a telephone number, "" if they are not.
func (s *search) phoneRule(row []group, d string, plus bool, start int) Rule {
	gaps := gapsOf(row)
	asked := s.before(cuePhone, start, 24) || s.phoneBehind(row[len(row)-1].j)
	ordered := s.before(cueOrder, start, 12)
	if gaps.odd || ordered && !s.before(cuePhone, start, 8) {
		return ""
	}
	switch {
	case plus && international(d) && gaps.slash == 0:
		return "international"
	case len(row) >= 3 && dialled(d) && gaps.slash == 0:
		return "international prefix"
	case gaps.slash == 0 && japanese(row, d):
		return "japanese"
	case trunk(row, d, gaps):
		return "trunk zero"
	case american(row, d, gaps, asked):
		return "north american"
	case asked && s.plausible(row, d, gaps):
		return "context"
	}
	return ""
}

// phoneBehind reports whether what follows a number says that it is for the telephone.
func (s *search) phoneBehind(j int) bool {
	for _, link := range [...]string{" is my ", " is his ", " is her ", " is our ", " is the ", "が私の", "が携帯", "は私の"} {
		if !s.has(j, link) {
			continue
		}
		k := j + len([]rune(link))
		for n := k; n < k+12; n++ {
			e, mark := cueWords.at(s.folded, n)
			if e > 0 && cue(mark)&cuePhone != 0 || s.has(n, "number") || s.has(n, "line") {
				return true
			}
		}
	}
	return false
}

// gaps counts the gaps of a row.
type gaps struct {
	dash, space, slash, dot, bracket int
	odd                              bool // of a kind that numbers do not have
}

func gapsOf(row []group) (g gaps) {
	for _, k := range row[1:] {
		switch k.gap {
		case dashGap:
			g.dash++
		case spaceGap:
			g.space++
		case slashGap:
			g.slash++
		case dotGap:
			g.dot++
		case bracketGap:
			g.bracket++
		case mixedGap:
			g.odd = true
		}
	}
	return g
}

// callingCodes are the codes of countries and zones (ITU-T E.164).
var callingCodes = codes(`1 7 20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62
	63 64 65 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 216 218 220 221 222 223 224 225 226 227 228 229 230 231
	232 233 234 235 236 237 238 239 240 241 242 243 244 245 246 247 248 249 250 251 252 253 254 255 256 257 258 260
	261 262 263 264 265 266 267 268 269 290 291 297 298 299 350 351 352 353 354 355 356 357 358 359 370 371 372 373
	374 375 376 377 378 380 381 382 383 385 386 387 389 420 421 423 500 501 502 503 504 505 506 507 508 509 590 591
	592 593 594 595 596 597 598 599 670 672 673 674 675 676 677 678 679 680 681 682 683 685 686 687 688 689 690 691
	692 800 808 850 852 853 855 856 870 878 880 881 882 883 886 888 960 961 962 963 964 965 966 967 968 970 971 972
	973 974 975 976 977 979 992 993 994 995 996 998`)

func codes(list string) map[string]bool {
	m := map[string]bool{}
	for _, c := range strings.Fields(list) {
		m[c] = true
	}
	return m
}

// international reports whether digits may follow a +.
func international(d string) bool {
	switch {
	case len(d) < 8 || len(d) > 15:
		return false
	case d[0] == '1':
		return len(d) == 11
	case strings.HasPrefix(d, "81"):
		return len(d) >= 11 && len(d) <= 13
	}
	return callingCodes[d[:1]] || callingCodes[d[:2]] || callingCodes[d[:3]]
}

// dialled reports whether digits are dialled to call abroad: 00, 001, 010 or 011 come
// first.
func dialled(d string) bool {
	for _, p := range [...]string{"010", "011", "001", "00"} {
		if rest, ok := strings.CutPrefix(d, p); ok && len(d) >= 12 {
			return international(rest) || p == "001" && len(rest) == 10
		}
	}
	return false
}

// japanese reports whether a number has a length of the Japanese numbering plan: eleven
// digits for mobiles, IP telephones and 0800, ten for the others.
func japanese(row []group, d string) bool {
	if len(d) < 10 || len(d) > 11 || d[0] != '0' || d[1] == '0' || len(row) > 3 {
		return false
	}
	want := 10
	switch d[:3] {
	case "070", "080", "090", "050", "020", "060":
		want = 11
	}
	if d[:4] == "0800" {
		want = 11
	}
	if len(d) != want {
		return false
	}
	if len(row) == 1 {
		return true
	}
	last := row[len(row)-1]
	return row[0].j-row[0].i >= 2 && row[0].j-row[0].i <= 7 && last.j-last.i >= 3
}

// trunk reports whether groups are a foreign number as dialled in its country: a zero
// first, then groups.
func trunk(row []group, d string, g gaps) bool {
	if len(d) < 9 || len(d) > 12 || d[0] != '0' || d[1] == '0' {
		return false
	}
	if len(row) == 1 {
		return len(d) == 11 && (d[1] == '7' || d[1] == '1' || d[1] == '2') // United Kingdom
	}
	pairs := true
	for _, k := range row {
		pairs = pairs && k.j-k.i == 2
	}
	if pairs {
		return len(row) == 5 && g.slash == 0 // France
	}
	last := row[len(row)-1]
	size := row[0].j - row[0].i
	if g.slash > 1 || size < 3 && len(row) > 2 && row[1].j-row[1].i == 2 || last.j-last.i < 3 || size > 5 ||
		len(row) > 4 {
		return false
	}
	return size >= 2 && (size >= 3 || len(d) >= 9)
}

// american reports whether groups have three, three and four digits, with or without a 1
// in front.
func american(row []group, d string, g gaps, asked bool) bool {
	if len(d) == 11 && d[0] == '1' {
		if len(row) == 1 {
			return asked && d[1] >= '2'
		}
		if row[0].j-row[0].i == 1 {
			row, d = row[1:], d[1:]
		}
	}
	if len(d) != 10 || d[0] < '2' {
		return false
	}
	switch len(row) {
	case 1:
		return asked
	case 2:
		return row[0].j-row[0].i == 3 && (row[1].gap == bracketGap || row[1].gap == dashGap && asked) ||
			row[0].j-row[0].i == 6 && asked
	case 3:
		sizes := row[0].j-row[0].i == 3 && row[1].j-row[1].i == 3
		spaces := row[1].gap == spaceGap && row[2].gap == spaceGap
		return sizes && (!spaces || asked || d[3:6] == "555") && g.slash == 0
	}
	return false
}

// plausible reports whether groups are a telephone number if a word such as "phone" comes
// before.
func (s *search) plausible(row []group, d string, g gaps) bool {
	if len(d) < leastPhone || len(d) > 13 || g.slash > 0 || dateLike(row) {
		return false
	}
	for _, k := range row {
		if k.j-k.i > 8 && len(row) > 1 {
			return false
		}
	}
	if len(row) == 1 {
		return len(d) >= 9 && len(d) <= 12
	}
	return row[len(row)-1].j-row[len(row)-1].i >= 3 && s.class[row[0].i] == digit
}

// dateLike reports whether groups have four, two and two digits, or two, two and four.
func dateLike(row []group) bool {
	if len(row) < 3 {
		return false
	}
	a, b, c := row[0].j-row[0].i, row[1].j-row[1].i, row[2].j-row[2].i
	return a == 4 && b <= 2 && c <= 2 || a <= 2 && b <= 2 && c == 4
}
