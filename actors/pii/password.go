package pii

import "strings"

// passwordWords are words for passwords and codes. Those marked 1 are usually short
// numbers; those marked 2 also mean other things.
var passwordWords = words(`password passwd passphrase pwd pw パスワード パスコード パス PW 合言葉 api_key apikey api-key api_token
	APIキー 秘密鍵 シークレットキー アクセスキー アクセストークン secret_key client_secret access_key access_token auth_token 暗号化キー 暗号キー セキュリティキー
	wi-fi_password wifi_password aws_access_key_id aws_secret_access_key wifi_key network_key license_key`).also(2, `
		token bearer credentials 鍵 キー key the_key secret トークン pass シークレット`).also(1, `暗証番号 認証コード 確認コード 認証番号 確認番号
			セキュリティコード pin pin_code pinコード ワンタイムパスワード otp verification_code security_code passcode one-time_code
			confirmation_code access_code login_code cvv cvc authentication_code unlock_code door_code`)

// passwords proposes what follows such a word.
func (s *search) passwords() {
	for i := 0; i < len(s.r); i++ {
		switch s.class[i] {
		case space, newline, digit, hiragana:
			continue
		case upper, lower: // the name of a variable ends with such a word
			if s.latin(i - 1) {
				continue
			}
		default:
			if s.starts[i]&startsPassword == 0 {
				continue
			}
		}
		end, mark := -1, uint32(0)
		if s.starts[i]&startsPassword != 0 {
			end, mark = passwordWords.at(s.folded, i)
		}
		if s.at(i-1) == '$' {
			continue
		}
		if end < 0 {
			if end = s.variable(i); end < 0 {
				continue
			}
		}
		if !s.password(end, mark) {
			s.said(i, end, mark)
		}
		i = end - 1
	}
}

// variable returns the end of a name such as DB_PASSWORD that is followed by = or :; -1
// if there is none.
func (s *search) variable(i int) int {
	if !s.latin(i) || s.word(i-1) || s.at(i-1) == '_' || s.at(i-1) == '$' {
		return -1
	}
	j := i
	for j < i+40 && (s.word(j) || s.at(j) == '_' || s.at(j) == '-') {
		j++
	}
	if s.at(j) != '=' && s.at(j) != ':' {
		return -1
	}
	for k := j; k > i; k-- {
		if s.at(k-1) == '_' || s.at(k-1) == '-' {
			if e, _ := passwordWords.at(s.folded, k); e == j {
				return j
			}
		}
	}
	return -1
}

// password proposes the value after a word, if a sign between them marks it, or if it
// looks like a password. It reports whether it did.
func (s *search) password(end int, mark uint32) bool {
	i, sign := s.skipLink(end)
	clear := s.colon(end, i)
	if i == end && !sign && !(s.at(i) == '「') {
		return false
	}
	j := s.secretEnd(i, clear)
	if j-i < 3 || s.r[i] == '[' || s.same(i, j) {
		return false
	}
	switch {
	case mark == 1:
		if s.shortCode(i, j) && !s.counted(j) {
			s.propose(Secret, "code", i, j)
			return true
		}
	case !s.everydayWord(i, j, mark) && s.secretLike(i, j, clear, sign) && !s.partOfSaid(i, j):
		s.propose(Secret, "password", i, j)
		return true
	}
	return false
}

// secretEnd returns the end of what may be a password: ASCII without spaces, and without
// the marks that end a sentence.
func (s *search) secretEnd(i int, clear bool) int {
	j := i
	for j < i+200 && j < len(s.r) && s.r[j] > ' ' && s.r[j] < 0x7F && !strings.ContainsRune(`"<>`, s.r[j]) &&
		!(s.r[j] == ',' && (s.is(j+1) == space || s.is(j+1) == newline)) {
		j++
	}
	for j > i && (strings.ContainsRune(`.,);?':`, s.r[j-1]) || s.r[j-1] == '!' && s.is(j) != hiragana && !clear) {
		j--
	}
	return j
}

// shortCode reports whether a number looks like a PIN.
func (s *search) shortCode(i, j int) bool {
	digits, letters, _ := s.contents(i, j)
	return digits >= 3 && j-i <= 10 && letters == 0 && s.dots(i, j) == 0
}

// everydayWord reports whether a word is not a password although it follows a word for
// one.
func (s *search) everydayWord(i, j int, mark uint32) bool {
	digits, letters, marks := s.contents(i, j)
	switch {
	case mark == 2 && (digits < 2 || letters < 2), digits == 0 && everyday.exactly(s.folded, i, j):
		return true
	}
	return digits == 0 && marks == 0 && s.at(i-1) == 'は' && s.is(j) != hiragana && s.at(j) != '」' && s.is(j) != newline
}

// secretLike reports whether a clear sign before a text, or its letters and digits, show
// that it is a password.
func (s *search) secretLike(i, j int, clear, sign bool) bool {
	digits, letters, marks := s.contents(i, j)
	switch n := j - i; {
	case clear && (n >= 4 || s.assigned(i)), sign && digits > 0 && n >= 4, sign && marks > 0 && letters > 0 && n >= 6:
		return clear || letters > 0 || digits >= 6
	default:
		return n >= 8 && letters >= 2 && (digits >= 2 || digits > 0 && s.capitalInside(i, j))
	}
}

// capitalInside reports whether a capital stands inside of a text, and a small letter.
func (s *search) capitalInside(i, j int) bool {
	small, inside := false, false
	for k := i; k < j; k++ {
		small = small || s.class[k] == lower
		inside = inside || k > i && s.class[k] == upper
	}
	return small && inside
}

// dots counts dots.
func (f *folded) dots(i, j int) (n int) {
	for ; i < j; i++ {
		if f.r[i] == '.' {
			n++
		}
	}
	return n
}

// colon reports whether :, = or は is between a word and its value: then what follows is
// the value, whatever it looks like.
func (s *search) colon(i, j int) bool {
	for ; i < j; i++ {
		switch s.r[i] {
		case ':', '=', 'は', '「':
			return true
		}
	}
	return false
}

// same reports whether a text repeats one letter, as in ********.
func (f *folded) same(i, j int) bool {
	for k := i + 1; k < j; k++ {
		if f.r[k] != f.r[i] {
			return false
		}
	}
	return true
}

func (f *folded) contents(i, j int) (digits, letters, marks int) {
	for ; i < j; i++ {
		switch f.class[i] {
		case digit:
			digits++
		case upper, lower:
			letters++
		default:
			marks++
		}
	}
	return digits, letters, marks
}
