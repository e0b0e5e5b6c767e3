package pii

// group is a row of digits and its separator from the group before.
type group struct {
	i, j int
	gap  gap
}

// gap is what may separate two groups of one number.
type gap uint8

const (
	noGap gap = iota
	dashGap
	spaceGap
	dotGap
	bracketGap
	slashGap
	wordGap // の, as in 03の1234の5678
	mixedGap
)

const (
	mostGroups = 8  // groups of the longest number
	mostDigits = 24 // digits of a group that may be part of a number

	leastDigits = 4 // of a number that identifies anybody
)

// numbers proposes everything made of digits: cards, government numbers, accounts,
// telephones. Digits may be kanji.
func (s *search) numbers() {
	var row []group
	for i := 0; i < len(s.r); {
		if !s.numeral(i) {
			i++
			continue
		}
		j := i + 1
		for s.numeral(j) && s.class[j] == s.class[i] {
			j++
		}
		between := noGap
		if len(row) > 0 {
			between = s.gap(row[len(row)-1].j, i)
		}
		if between == noGap && len(row) > 0 {
			s.row(row)
			row = row[:0]
		}
		row = append(row, group{i, j, between})
		i = j
	}
	if len(row) > 0 {
		s.row(row)
	}
}

// numeral reports whether a rune is a digit, ASCII or kanji.
func (f *folded) numeral(i int) bool {
	if i < 0 || i >= len(f.r) {
		return false
	}
	return f.class[i] == digit || f.class[i] == kanji && kanjiDigit(f.r[i]) >= 0
}

// kanjiDigit is the value of a kanji digit, -1 for anything else.
func kanjiDigit(r rune) int {
	switch r {
	case '〇', '零':
		return 0
	case '一':
		return 1
	case '二':
		return 2
	case '三':
		return 3
	case '四':
		return 4
	case '五':
		return 5
	case '六':
		return 6
	case '七':
		return 7
	case '八':
		return 8
	case '九':
		return 9
	}
	return -1
}

// value is the value of a numeral.
func (f *folded) value(i int) int {
	if f.class[i] == digit {
		return int(f.r[i] - '0')
	}
	return kanjiDigit(f.r[i])
}

// gap returns what separates two groups, noGap if they do not belong together.
func (f *folded) gap(i, j int) gap {
	if j-i > 3 {
		return noGap
	}
	kind := noGap
	for ; i < j; i++ {
		g := noGap
		switch f.r[i] {
		case '-', 'ー', '─', '‐':
			g = dashGap
		case ' ', '\t', '\n', '\r': // each part of a burst is on its own line
			g = spaceGap
		case '.', '・':
			g = dotGap
		case '(', ')':
			g = bracketGap
		case '/':
			g = slashGap
		case 'の':
			g = wordGap
		}
		switch {
		case g == noGap:
			return noGap
		case kind == noGap, kind == g && g == bracketGap:
			kind = g
		case kind == g:
			if g != spaceGap {
				return noGap
			}
		case g == spaceGap: // the other one says more
		case kind == spaceGap:
			kind = g
		case kind == bracketGap || g == bracketGap:
			kind = bracketGap
		default:
			kind = mixedGap
		}
	}
	return kind
}

// row looks for numbers in a row of groups, from left to right.
func (s *search) row(row []group) {
	for k := 0; k < len(row); {
		window := row[k:min(k+mostGroups, len(row))]
		if n := s.rowNumber(window, k > 0); n > 0 {
			k += n
			continue
		}
		k++
	}
}

// rowNumber proposes the number that the first groups of a window make, and returns how
// many groups it used, 0 for none.
func (s *search) rowNumber(window []group, behind bool) int {
	first, last := window[0], window[len(window)-1]
	if last.j-first.i < leastDigits {
		return 0
	}
	if first.j-first.i > mostDigits || s.latinBefore(first.i) || s.is(first.i-1) == digit {
		return 0
	}
	if behind && window[0].gap != spaceGap && window[0].gap != bracketGap && window[0].gap != slashGap {
		return 0 // in the middle of something with hyphens or dots
	}
	for n := len(window); n > 0; n-- {
		if j := window[n-1].j; s.cut(j) || s.at(j) == '-' && s.is(j+1) == digit {
			continue
		}
		d, ok := s.digits(window[:n])
		if !ok {
			continue
		}
		if k, r := s.identify(window[:n], d); k != "" {
			s.propose(k, r, s.prefix(k, first.i), window[n-1].j)
			return n
		}
	}
	return s.phone(window)
}

// latinBefore reports whether a number is the end of a word, such as AB123.
func (s *search) latinBefore(i int) bool {
	if !s.latin(i - 1) {
		return false
	}
	// T and 13 digits are a company's number; "x" and "tel" may be attached.
	start := s.back(i, 4, set(upper, lower))
	switch s.string(start, i) {
	case "T", "t", "tel", "TEL", "Tel", "fax", "FAX", "Fax", "No", "no":
		return s.latin(start - 1)
	}
	return true
}

// cut reports whether a number does not end at an index: a letter or a unit follows.
func (s *search) cut(j int) bool {
	if s.word(j) || s.numeral(j) && s.is(j) == digit {
		return true
	}
	if s.at(j) == '.' && s.is(j+1) == digit || s.at(j) == ',' && s.is(j+1) == digit {
		return true
	}
	end, _ := units.at(s.folded, j)
	return end >= 0
}

// units turn the number before them into an amount.
var units = words(`円 ドル ユーロ 元 人 個 件 枚 本 冊 台 匹 回 % パーセント kg km 年 月 日 時 分 秒 ポイント 万 億 千 票 歳 才 ¥ 株 名 食 件目 番目 ページ 平方 立方
	メートル`)

// digits returns the digits of all groups together.
func (s *search) digits(row []group) (string, bool) {
	var b [mostDigits]byte
	n := 0
	for _, g := range row {
		if n+g.j-g.i > len(b) {
			return "", false
		}
		for i := g.i; i < g.j; i++ {
			b[n] = '0' + byte(s.value(i))
			n++
		}
	}
	return string(b[:n]), true
}

// prefix moves the start of a number back over its prefix.
func (s *search) prefix(k Kind, i int) int {
	if k == Corporate && (s.at(i-1) == 'T' || s.at(i-1) == 't') {
		return i - 1
	}
	return i
}

// shape reports whether groups have the given sizes and all gaps are the same, - or a
// space.
func shape(row []group, sizes ...int) bool {
	if len(row) != len(sizes) {
		return false
	}
	for n, g := range row {
		if g.j-g.i != sizes[n] || n > 0 && (g.gap != dashGap && g.gap != spaceGap || g.gap != row[len(row)-1].gap) {
			return false
		}
	}
	return true
}

// identify says what kind of number this is, by its check digit or a word that names it.
func (s *search) identify(row []group, d string) (kind Kind, rule Rule) {
	i := row[0].i
	ordered := s.before(cueOrder, i, 10)
	if rule := s.card(row, d, ordered); rule != "" {
		return Card, rule
	}
	if shape(row, 5, 8) && s.before(cueBank, i, 12) {
		return Bank, "context" // ゆうちょ銀行
	}
	switch len(d) {
	case 13:
		kind, rule = s.thirteen(row, d, ordered)
	case 12:
		kind, rule = s.twelve(row, d, ordered)
	case 9:
		kind, rule = s.nine(row, d, ordered)
	}
	if kind == "" && (len(row) == 1 || shape(row, 3, 4)) {
		return s.named(i, row[len(row)-1].j, d)
	}
	return kind, rule
}

// card returns the rule by which a number is a card's; "" if it is not.
func (s *search) card(row []group, d string, ordered bool) Rule {
	switch {
	case len(d) >= 13 && len(d) <= 19 && cardShape(row) && network(d) && luhn(d):
		return "luhn"
	case len(d) >= 12 && len(d) <= 19 && s.before(cueCard, row[0].i, 12) && cardShape(row) && !ordered:
		return "context"
	}
	return ""
}

// thirteen says whether 13 digits are the number of a company.
func (s *search) thirteen(row []group, d string, ordered bool) (Kind, Rule) {
	if len(row) > 1 && !shape(row, 1, 4, 4, 4) {
		return "", ""
	}
	i := row[0].i
	t := s.at(i-1) == 'T' || s.at(i-1) == 't'
	switch {
	case s.before(cueCorporate, i, 12) || t && corporateDigit(d):
		return Corporate, "context"
	case corporateDigit(d) && !ordered && !bookOrGoods(d) && !millis(d):
		return Corporate, "check digit"
	}
	return "", ""
}

// twelve says what 12 digits are: a licence, an account, a person's number.
func (s *search) twelve(row []group, d string, ordered bool) (Kind, Rule) {
	if len(row) > 1 && !shape(row, 4, 4, 4) {
		return "", ""
	}
	switch i := row[0].i; {
	case s.before(cueLicence, i, 16):
		return Licence, "context"
	case s.before(cueBank, i, 8):
		return Bank, "context"
	case s.before(cueNational, i, 16), s.bracketed(cueNational, row[len(row)-1].j):
		return National, "context"
	case nationalDigit(d) && !ordered:
		return National, "check digit"
	}
	return "", ""
}

// bracketed reports whether a word in brackets behind a number says what it is.
func (s *search) bracketed(c cue, j int) bool {
	j = s.run(j, 1, set(space))
	if s.at(j) != '(' {
		return false
	}
	end, mark := cueWords.at(s.folded, j+1)
	return end > 0 && cue(mark)&c != 0
}

// nine says whether 9 digits are a social security number.
func (s *search) nine(row []group, d string, ordered bool) (Kind, Rule) {
	switch {
	case shape(row, 3, 2, 4) && row[1].gap == dashGap && socialSecurity(d) && !ordered:
		return National, "social security"
	case s.before(cueSSN, row[0].i, 24) && (len(row) == 1 || shape(row, 3, 2, 4)):
		return National, "context"
	}
	return "", ""
}

// named identifies a row of digits by its neighbours alone.
func (s *search) named(i, j int, d string) (Kind, Rule) {
	switch {
	case len(d) == 7 && s.before(cuePost, i, 8):
		return Address, "postal code"
	case len(d) >= 8 && len(d) <= 9 && s.before(cuePassport, i, 24):
		return Passport, "context"
	case len(d) >= 7 && len(d) <= 12 && s.before(cueLicence, i, 24):
		return Licence, "context"
	case len(d) >= 4 && len(d) <= 17 && s.before(cueBank, i, 12) && s.bankWord(i, d):
		return Bank, "context"
	}
	return "", ""
}

// bankWord reports whether the word before a number means a bank account: 普通 and 番号 mean
// other things with other lengths.
func (s *search) bankWord(i int, d string) bool {
	if s.before(cuePhone|cueOrder, i, 6) {
		return false
	}
	if len(d) >= 7 && len(d) <= 8 && bankNames.inside(s.folded, max(0, i-24), i) {
		return true
	}
	return bankStrong.inside(s.folded, max(0, i-24), i) && len(d) >= 5
}

var (
	bankNames  = words(`普 普通 当座 貯蓄 口座 銀行 信用金庫 支店 ゆうちょ 記号 番号`)
	bankStrong = words(`口座 口座番号 記号 ゆうちょ account_number account_no bank_account acct routing_number routing account_#
		account 普通預金 当座預金`)
)

// cardShape reports whether groups are as on a card.
func cardShape(row []group) bool {
	return len(row) == 1 || shape(row, 4, 4, 4, 4) || shape(row, 4, 6, 5) || shape(row, 4, 6, 4) ||
		shape(row, 4, 4, 4, 1) || shape(row, 4, 4, 4, 2) || shape(row, 4, 4, 4, 3) || shape(row, 4, 4, 4, 4, 3) ||
		shape(row, 4, 4, 5)
}

// network reports whether the first digits and the length fit a card network
// (ISO/IEC 7812; the networks' published ranges).
func network(d string) bool {
	n := len(d)
	two := int(d[0]-'0')*10 + int(d[1]-'0')
	four := two*100 + int(d[2]-'0')*10 + int(d[3]-'0')
	switch {
	case d[0] == '4': // Visa
		return n == 13 || n == 16 || n == 19
	case two >= 51 && two <= 55, four >= 2221 && four <= 2720: // Mastercard
		return n == 16
	case two == 34 || two == 37: // American Express
		return n == 15
	case four >= 3528 && four <= 3589: // JCB
		return n >= 16 && n <= 19
	case four == 1800 || four == 2131: // JCB, old
		return n == 15
	case two == 36 || two == 38 || two == 39 || four >= 3000 && four <= 3059: // Diners Club
		return n >= 14 && n <= 19
	case two == 62 || two == 65 || four == 6011 || two == 64: // UnionPay, Discover
		return n >= 16 && n <= 19
	case two == 50 || two >= 56 && two <= 58 || two == 67 || two == 63 || two == 60 || two == 61: // Maestro
		return n >= 13 && n <= 19
	}
	return false
}

// luhn checks the last digit (ISO/IEC 7812-1, annex B).
func luhn(d string) bool {
	sum := 0
	for k := range d {
		v := int(d[len(d)-1-k] - '0')
		if k%2 == 1 {
			if v *= 2; v > 9 {
				v -= 9
			}
		}
		sum += v
	}
	return sum%10 == 0
}

// nationalDigit checks the last of the twelve digits of a My Number (ordinance 85
// of 2014 of the Ministry of Internal Affairs, article 5).
func nationalDigit(d string) bool {
	sum := 0
	for n := 1; n <= 11; n++ {
		q := n + 1
		if n > 6 {
			q = n - 5
		}
		sum += int(d[11-n]-'0') * q
	}
	check := 11 - sum%11
	if check >= 10 {
		check = 0
	}
	return int(d[11]-'0') == check
}

// corporateDigit checks the first of the thirteen digits of a corporate number
// (ordinance 70 of 2014 of the Ministry of Finance, article 2).
func corporateDigit(d string) bool {
	sum := 0
	for n := 1; n <= 12; n++ {
		p := 1
		if n%2 == 0 {
			p = 2
		}
		sum += int(d[13-n]-'0') * p
	}
	return int(d[0]-'0') == 9-sum%9
}

// bookOrGoods reports whether a number belongs to a book or to Japanese goods (ISBN-13,
// JAN).
func bookOrGoods(d string) bool {
	return d[:3] == "978" || d[:3] == "979" || d[:2] == "49" || d[:2] == "45"
}

// millis reports whether a number is a time of this century, in milliseconds since 1970.
func millis(d string) bool {
	return d[0] == '1' && d[1] >= '0' && d[1] <= '9' && d >= "1000000000000" && d < "2100000000000"
}

// socialSecurity reports whether the USA could have issued a number: no part is zero, and
// the first is neither 666 nor above 899.
func socialSecurity(d string) bool {
	return d[:3] != "000" && d[:3] != "666" && d[0] != '9' && d[3:5] != "00" && d[5:] != "0000"
}
