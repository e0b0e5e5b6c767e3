package pii

// lettered proposes numbers that hold letters: IBAN, passports, driving licences.
func (s *search) lettered() {
	for i := 0; i < len(s.r); i++ {
		if s.class[i] != upper || s.word(i-1) {
			continue
		}
		if end := s.iban(i); end > 0 {
			s.propose(Bank, "IBAN", i, end)
			i = end - 1
			continue
		}
		letters := s.run(i, 3, set(upper))
		end := s.run(letters, 18, set(upper, digit))
		for s.at(end) == '-' && s.word(end+1) && end < i+24 {
			end = s.run(end+1, 10, set(upper, digit))
		}
		digits, _, _ := s.contents(i, end)
		switch {
		case digits < 5 || s.word(end):
		case letters-i <= 2 && digits >= 6 && digits <= 8 && s.before(cuePassport, i, 24):
			s.propose(Passport, "context", i, end)
		case s.before(cueLicence, i, 24):
			s.propose(Licence, "context", i, end)
		}
		i = max(i, end-1)
	}
}

// iban is the end of an International Bank Account Number with the right check
// digits (ISO 13616), in one row or in groups of four; 0 if there is none.
func (s *search) iban(i int) int {
	if s.is(i+1) != upper || s.is(i+2) != digit || s.is(i+3) != digit {
		return 0
	}
	var letters [34]rune
	n, end := 0, 0
	for j := i; n < len(letters); j++ {
		if c := s.is(j); c == upper || c == digit {
			letters[n] = s.r[j]
			n++
			if n >= 15 && !s.word(j+1) && ibanDigits(letters[:n]) {
				end = j + 1
			}
			continue
		}
		if c := s.is(j + 1); s.at(j) != ' ' || n%4 != 0 || c != upper && c != digit {
			break
		}
	}
	return end
}

// ibanDigits is the check of ISO 7064, MOD 97-10.
func ibanDigits(letters []rune) bool {
	rest := 0
	for k := range letters {
		r := letters[(k+4)%len(letters)]
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	return rest == 1
}
