package pii

// streets proposes addresses in Latin letters: a number and a street, a post box,
// a town with its code, a Japanese address in Latin letters.
func (s *search) streets() {
	for i := 0; i < len(s.r); i++ {
		if c := s.class[i]; c != digit && c != upper || s.word(i-1) {
			continue
		}
		kinds := byWord[:]
		if s.class[i] == digit {
			kinds = byNumber[:]
		}
		for _, end := range kinds {
			if e := end(s, i); e > 0 {
				s.propose(Address, "street", i, e)
				i = e - 1
				break
			}
		}
	}
}

// How an address in Latin letters begins: with a number, or with a word with a capital.
var (
	byNumber = [...]func(*search, int) int{
		(*search).houseFirst, (*search).romaji, (*search).lowerHouse, (*search).coded,
	}
	byWord = [...]func(*search, int) int{
		(*search).postBox, (*search).flatFirst, (*search).spelt, (*search).houseLast,
		(*search).streetFirst, (*search).townCode,
		(*search).britishCode,
	}
)

var (
	streetWords = words(`street st avenue ave road rd boulevard blvd lane ln drive dr court ct way place pl square sq
		terrace ter parkway pkwy highway hwy circle cir trail trl mews crescent close grove gardens row walk alley
		plaza loop ridge route expressway turnpike turnpike path heights hill hills vista views view crossing
		crossroad point pointe glen fords ford falls fall estate estates extension forge forges fork forks garden
		gateway green harbor haven hollow inlet island islands isle junction junctions key keys knoll knolls lake
		lakes land landing light locks lodge manor meadow meadows mill mills mission motorway mount mountain neck
		orchard oval overpass park parks pass passage pike pine pines plain plains port ports prairie ramp ranch rapid
		rapids rest ridges river roads shoal shore shores skyway spring springs spur spurs station stravenue stream
		streets summit throughway trace track trafficway tunnel union unions valley valleys viaduct village villages
		ville wall walks wells bridge brook brooks burg bypass camp canyon cape causeway center centers circles cliff
		cliffs club common corner corners course courts cove coves creek crest curve dale dam divide drives ferry
		field fields flat flats freeway freeway lights run squares stravenue ways well`)
	romanceStreets = words(`rue avenue boulevard place via viale piazza corso calle avenida plaza paseo rua chemin
		allee quai impasse cours`)
	directions = words(`n s e w ne nw se sw north south east west northeast northwest southeast southwest`)
	unitWords  = words(`apt apartment suite ste unit flat floor fl room rm bldg building # no level lvl`)
	states     = words(`AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM
		NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC PR GU AE AP AA FM MH MP PW VI ON QC BC AB MB SK NS
		NB NL NT PE YT NSW VIC QLD TAS Alabama Alaska Arizona Arkansas California Colorado Connecticut Delaware
		Florida Georgia Hawaii Idaho Illinois Indiana Iowa Kansas Kentucky Louisiana Maine Maryland Massachusetts
		Michigan Minnesota Mississippi Missouri Montana Nebraska Nevada New_Hampshire New_Jersey New_Mexico New_York
		North_Carolina North_Dakota Ohio Oklahoma Oregon Pennsylvania Rhode_Island South_Carolina South_Dakota
		Tennessee Texas Utah Vermont Virginia Washington West_Virginia Wisconsin Wyoming`)
	countries = words(`USA U.S.A. US UK United_Kingdom England Scotland Wales Ireland Canada Australia Germany France
		Japan United_States Spain Italy Netherlands Switzerland Austria India China`)
)

// longestWord is the longest word of a name, in runes.
const longestWord = 40

// capital returns the end of a capitalised word. Hyphens, apostrophes and a dot after a
// short word belong to it.
func (f *folded) capital(i int) int {
	if f.is(i) != upper || f.word(i-1) {
		return 0
	}
	j := i
	for j < i+longestWord && (f.latin(j) || (f.at(j) == '\'' || f.at(j) == '-') && f.latin(j+1)) {
		j++
	}
	return j
}

// houseFirst is the end of 221B Baker Street, London NW1 6XE; 0 if there is none.
func (s *search) houseFirst(i int) int {
	if r := s.at(i - 1); r == '$' || r == '.' || r == '#' || r == '-' || r == ':' || r == '/' || r == ',' {
		return 0
	}
	j := s.number(i, 6)
	if j == 0 {
		return 0
	}
	if s.latin(j) && !s.word(j+1) {
		j++ // 221B
	} else if s.at(j) == '-' && s.is(j+1) == digit {
		j = s.run(j+1, 5, set(digit))
	}
	french := s.at(j) == ',' && s.is(j+1) == space
	if french {
		j++
	}
	if s.is(j) != space {
		return 0
	}
	j = s.run(j, 1, set(space))
	if e, _ := romanceStreets.at(s.folded, j); e > 0 {
		if end := s.streetName(e); end > 0 {
			return s.behindStreet(end)
		}
	}
	if end := s.street(j); end > 0 && !french {
		return s.behindStreet(end)
	}
	return 0
}

// streetFirst is the end of Via Roma 25, 20121 Milano: a romance word for a street, its name,
// a number, and a town with its code; 0 if there is none.
func (s *search) streetFirst(i int) int {
	if s.starts[i]&startsStreet == 0 || s.class[i] != upper {
		return 0
	}
	e, _ := romanceStreets.at(s.folded, i)
	if e < 0 {
		return 0
	}
	end := s.streetName(e)
	if end == 0 {
		return 0
	}
	k := s.comma(end)
	n := s.number(k, 4)
	if k == end || n == 0 {
		return 0
	}
	if s.latin(n) && !s.word(n+1) {
		n++
	}
	if s.word(n) {
		return 0
	}
	if t := s.codeTown(s.comma(n)); t > 0 {
		return s.country(t)
	}
	return 0
}

// spelt is the end of One Microsoft Way, Redmond, WA 98052; 0 if there is none.
func (s *search) spelt(i int) int {
	if s.starts[i]&startsStreet == 0 || s.class[i] != upper {
		return 0
	}
	e, _ := houseNumbers.at(s.folded, i)
	if e < 0 || s.is(e) != space {
		return 0
	}
	end := s.street(e + 1)
	if end == 0 {
		return 0
	}
	return s.townCode(s.comma(end))
}

var houseNumbers = words(`one two three four five six seven eight nine ten`)

// flatFirst is the end of Flat 7, 32 Gloucester Road; 0 if there is none.
func (s *search) flatFirst(i int) int {
	if s.starts[i]&startsStreet == 0 || s.class[i] != upper {
		return 0
	}
	e := s.flat(i)
	if e == 0 {
		return 0
	}
	k := s.comma(e)
	if k == e || s.is(k) != digit {
		return 0
	}
	return max(s.houseFirst(k), s.coded(k))
}

// coded is the end of a number, a few capitalised words and a town with a British code: 27
// Deansgate, Manchester, M3 1AZ; 0 if there is none.
func (s *search) coded(i int) int {
	j := s.number(i, 4)
	if j == 0 || s.at(i-1) == '-' || s.at(i-1) == '.' || s.at(i-1) == '/' {
		return 0
	}
	if s.latin(j) && !s.word(j+1) {
		j++
	}
	if s.is(j) != space {
		return 0
	}
	words := s.capitals(j+1, 4)
	if words == 0 {
		return 0
	}
	if e := s.britishTown(s.comma(words)); e > 0 {
		return s.country(e)
	}
	return 0
}

// lowerHouse is the end of an American address in lower case, with its town and code: 742
// birchwood lane, dayton, oh 45402; 0 if there is none.
func (s *search) lowerHouse(i int) int {
	j := s.number(i, 6)
	if j > 0 && s.is(j) == lower && !s.word(j+1) {
		j++ // 221b
	}
	if j == 0 || s.is(j) != space {
		return 0
	}
	k, street := j+1, 0
	for range 4 {
		e := s.run(k, longestWord, set(lower))
		if e == k {
			break
		}
		if k > j+1 && streetWords.exactly(s.folded, k, e) {
			street = e
		}
		if s.is(e) != space {
			break
		}
		k = e + 1
	}
	if street == 0 {
		return 0
	}
	plain := s.plainStreet(j, street)
	k = street
	for range 6 { // a flat, and the town
		e := s.run(s.comma(k), longestWord, set(lower, digit))
		if k = s.comma(k); e == k || s.at(k-1) == '\n' {
			return plain
		}
		if e-k == 2 && stateCode(s.string(k, e)) {
			z := s.run(e, 1, set(space))
			if end := s.run(z, 6, set(digit)); end-z == 5 && !s.word(end) {
				return end
			}
		}
		k = e
	}
	return plain
}

// plainStreet is the end of a street in lower case without a code, and of the town after a
// comma: 221b baker street, london; 0 unless its words leave no doubt.
func (s *search) plainStreet(j, end int) int {
	e := s.back(end, longestWord, set(lower))
	if !plainStreets.exactly(s.folded, e, end) || s.at(end) == '\'' {
		return 0
	}
	for k := j + 1; k < e; {
		n := s.run(k, longestWord, set(lower))
		if notStreets.exactly(s.folded, k, n) || sentenceWords.exactly(s.folded, k, n) {
			return 0
		}
		k = n + 1
	}
	if s.at(end) == ',' && s.is(end+1) == space {
		n := s.run(end+2, longestWord, set(lower))
		ends := s.is(n) == newline || s.at(n) == ',' || s.at(n) == '.'
		if ends && n > end+4 && !sentenceWords.exactly(s.folded, end+2, n) {
			return n
		}
	}
	return end
}

var (
	plainStreets = words(`street road avenue lane drive boulevard blvd ave rd`)
	notStreets   = words(`the a an main miles mile minutes blocks block people cars houses km feet yards meters
		metres hours days
		years more other different busy long short quiet wide narrow of in on per lane lanes
		min mins hr hrs sec mi kg gb tb mb bit speed wheel star hard external flash ssd usb cd dvd test charity food
		blood dirt gravel scenic freeway`)
)

// stateCode reports whether a word in lower case is the code of a state.
func stateCode(w string) bool { return states.has(w) }

// streetName is the end of the words after rue and the like.
func (s *search) streetName(i int) int {
	end := 0
	for range 6 {
		k := s.run(i, 1, set(space))
		if k == i && s.at(i-1) != '\'' {
			break
		}
		j := s.capital(k)
		if j == 0 {
			switch e := s.run(k, 4, set(lower)); s.string(k, e) {
			case "de", "la", "le", "les", "du", "des", "del", "della", "di", "d", "l", "los", "las", "dos", "da",
				"do", "el":
				if i = e; s.at(e) == '\'' {
					i++
				}
				continue
			}
			break
		}
		end, i = j, j
	}
	return end
}

// street returns the end of up to four capitalised words that end in a word for a street; 0
// if there are none.
func (s *search) street(i int) int {
	j, named := i, false
	end := 0
	for range 6 {
		k := s.capital(j)
		if k == 0 {
			if d := s.run(j, 3, set(digit)); d > j && s.latin(d) && s.ordinal(d) > d { // 5th Avenue
				k = s.ordinal(d)
				if s.word(k) {
					break
				}
			} else {
				break
			}
		} else if named && streetWords.exactly(s.folded, j, k) {
			end = k
		}
		named = true
		j = k
		if s.at(j) == '.' && k-j <= 4 {
			j++
		}
		if s.is(j) != space || s.at(j) == 0 {
			break
		}
		j++
	}
	if end > 0 && s.at(end) == '.' && s.is(end+1) != newline && s.shortWord(end) {
		end++
	}
	return end
}

// shortWord reports whether a word that ends at an index is an abbreviation.
func (s *search) shortWord(j int) bool { return j-s.back(j, 6, set(upper, lower)) <= 4 }

// behindStreet returns the end of what follows a street: a direction, a flat, a town, its
// code, a country.
func (s *search) behindStreet(end int) int {
	if k := s.comma(end); k > end {
		if e, _ := directions.at(s.folded, k); e > 0 && s.is(k) == upper {
			end = e
		}
	}
	for range 2 {
		if k := s.comma(end); k > end {
			if e := s.flat(k); e > 0 {
				end = e
			}
		}
	}
	if k := s.comma(end); k > end {
		if e := s.townCode(k); e > 0 {
			return s.country(e)
		}
		if e := s.britishTown(k); e > 0 {
			return s.country(e)
		}
		if e := s.codeTown(k); e > 0 {
			return s.country(e)
		}
		// A town alone, after a comma on the same line.
		if e := s.townAlone(end, k); e > 0 {
			return s.country(e)
		}
	}
	return end
}

// comma skips a comma, a space, and a line break.
func (s *search) comma(i int) int {
	if s.at(i) == ',' {
		i++
	}
	return s.run(i, 2, set(space, newline))
}

// townAlone returns the end of a town after a comma: capitalised words before a comma or
// the end of a line.
func (s *search) townAlone(end, i int) int {
	if s.at(end) != ',' {
		return 0
	}
	j := s.capitals(i, 3)
	if j == 0 {
		return 0
	}
	if s.at(j) == ',' {
		if k := s.capitals(s.comma(j), 2); k > 0 {
			return k
		}
		return j
	}
	if d := s.run(j+1, 6, set(digit)); s.is(j) == space && d == j+6 && !s.word(d) {
		return d // Paris 75002
	}
	switch c := s.is(j); {
	case c == newline, s.at(j) == '.', s.at(j) == ';', s.at(j) == ')':
		return j
	case c == space:
		return j
	}
	return 0
}

// capitals returns the end of at most most capitalised words, 0 if there are none.
func (s *search) capitals(i, most int) int {
	end := 0
	for range most {
		j := s.capital(i)
		if j == 0 {
			break
		}
		end = j
		if s.at(j) == '.' && j-i <= 3 {
			j++ // St.
		}
		if s.is(j) != space {
			break
		}
		i = j + 1
	}
	return end
}

// flat is the end of Apt 4B, Suite 200 or #5.
func (s *search) flat(i int) int {
	j := i
	if s.at(i) == '#' {
		j++
	} else {
		e, _ := unitWords.at(s.folded, i)
		if e < 0 {
			// 3rd Floor
			if d := s.number(i, 2); d > 0 && s.ordinal(d) > d {
				if e, _ = unitWords.at(s.folded, s.run(s.ordinal(d), 1, set(space))); e > 0 {
					return e
				}
			}
			return 0
		}
		j = e
		if s.at(j) == '.' {
			j++
		}
	}
	j = s.run(j, 1, set(space))
	if s.at(j) == '#' {
		j++
	}
	e := s.run(j, 6, set(digit, upper))
	if e == j {
		return 0
	}
	if s.at(e) == '-' && s.word(e+1) {
		e = s.run(e+1, 4, set(digit, upper))
	}
	if s.latin(e) {
		return 0
	}
	return e
}

// townCode is the end of Springfield, IL 62704; 0 if there is none.
func (s *search) townCode(i int) int {
	j := i
	for range 4 {
		k := s.capital(j)
		if k == 0 {
			return 0
		}
		if s.at(k) == '.' && k-j <= 3 {
			k++
		}
		n := k
		if s.at(n) == ',' {
			n++
		}
		if s.is(n) == space {
			if z := s.stateZip(n+1, n > k); z > 0 {
				return z
			}
		}
		if s.is(k) != space {
			return 0
		}
		j = k + 1
	}
	return 0
}

// stateZip is the end of the code of a place in a state that begins at an index; 0 if there is none. A comma before a
// state leaves no doubt about it.
func (s *search) stateZip(i int, comma bool) int {
	if s.is(i) != upper || s.starts[i]&startsState == 0 {
		return 0
	}
	if e, _ := states.at(s.folded, i); e > 0 && (comma || !doubtfulStates.exactly(s.folded, i, e)) {
		return s.zip(e)
	}
	return 0
}

// doubtfulStates are codes of states that are also words, such as ID; they need a comma.
var doubtfulStates = words(`ID OK IN OR ME HI OH PA MA`)

// zip is the end of a code of the USA, Canada or Australia after a state.
func (s *search) zip(i int) int {
	if s.at(i) == '.' || s.at(i) == ',' {
		i++
	}
	if s.is(i) != space {
		return 0
	}
	i++
	j := s.run(i, 6, set(digit))
	switch {
	case j-i == 5 && !s.word(j):
		if s.at(j) == '-' {
			if k := s.run(j+1, 5, set(digit)); k-j == 5 && !s.word(k) {
				return k
			}
		}
		return j
	case j-i == 4 && !s.word(j):
		return j
	}
	// Canada: K1A 0B1
	if s.is(i) == upper && s.is(i+1) == digit && s.is(i+2) == upper {
		k := s.run(i+3, 1, set(space))
		if s.is(k) == digit && s.is(k+1) == upper && s.is(k+2) == digit && !s.word(k+3) {
			return k + 3
		}
	}
	return 0
}

// britishCode is the end of a British code such as NW1 6XE; 0 if there is none.
func (s *search) britishCode(i int) int {
	j := s.run(i, 3, set(upper))
	if j == i || j-i > 2 || s.is(j) != digit {
		return 0
	}
	j++
	if c := s.is(j); c == digit || c == upper {
		j++
	}
	if s.is(j) != space {
		return 0
	}
	j++
	if s.is(j) == digit && s.is(j+1) == upper && s.is(j+2) == upper && !s.word(j+3) {
		return j + 3
	}
	return 0
}

// britishTown is the end of London NW1 6XE.
func (s *search) britishTown(i int) int {
	j := i
	for range 4 {
		if e := s.britishCode(j); e > 0 {
			return e
		}
		k := s.capital(j)
		if k == 0 {
			return 0
		}
		if j = s.comma(k); j == k {
			return 0
		}
	}
	return 0
}

// codeTown is the end of 75001 Paris.
func (s *search) codeTown(i int) int {
	j := s.run(i, 5, set(digit))
	if s.is(j) == digit {
		return 0
	}
	if j-i == 5 && s.at(j) == '-' && s.run(j+1, 4, set(digit)) == j+4 {
		j += 4 // 01305-000
	}
	if j-i < 4 || s.is(j) != space {
		return 0
	}
	return s.capitals(j+1, 3)
}

// country is the end of a country after an address.
func (s *search) country(end int) int {
	if k := s.comma(end); s.at(end) == ' ' && s.is(k) == digit && s.ends(end, "Dublin") {
		if d := s.number(k, 2); d > 0 && !s.word(d) {
			end = d // Dublin 2
		}
	}
	if k := s.comma(end); s.at(end) == ',' && k > end {
		if e, _ := countries.at(s.folded, k); e > 0 {
			return e
		}
	}
	return end
}

// postBox is the end of P.O. Box 1187, Denver, CO 80201.
func (s *search) postBox(i int) int {
	if s.r[i] != 'P' {
		return 0
	}
	j := i
	for _, form := range [...]string{"P.O. Box ", "PO Box ", "P.O.Box ", "P. O. Box ", "Post Office Box "} {
		if s.has(i, form) {
			j = i + len(form)
		}
	}
	e := s.run(j, 8, set(digit))
	if j == i || e == j || s.word(e) {
		return 0
	}
	return s.behindStreet(e)
}

// houseLast is the end of Hauptstraße 12, 10115 Berlin; 0 if there is none.
func (s *search) houseLast(i int) int {
	j := s.capital(i)
	if j == 0 {
		return 0
	}
	k := j
	if s.at(k) == '.' {
		k++
	}
	if s.is(k) != space || s.is(k+1) != digit {
		return 0
	}
	german := false
	for _, w := range [...]string{"straße", "strasse", "str", "weg", "platz", "allee", "gasse", "straat", "laan",
		"gatan"} {
		german = german || s.ends(j, w) && j-i > len([]rune(w))+2
	}
	e := s.number(k+1, 4)
	if !german || e == 0 {
		return 0
	}
	if s.is(e) == lower && !s.word(e+1) {
		e++
	} else if s.at(e) == '-' && s.is(e+1) == digit {
		e = s.run(e+1, 4, set(digit)) // 43-45
	}
	if s.word(e) {
		return 0
	}
	if t := s.codeTown(s.comma(e)); t > 0 {
		return s.country(t)
	}
	return e
}

// romaji is the end of 1-2-3 Shibuya, Shibuya-ku, Tokyo 150-0002; 0 if there is
// none.
func (s *search) romaji(i int) int {
	j, dashes := i, 0
	for dashes <= 3 {
		k := s.number(j, 4)
		if k == 0 {
			return 0
		}
		if j = k; s.at(j) != '-' {
			break
		}
		dashes++
		j++
	}
	if dashes > 3 || dashes == 0 && s.is(j) != space {
		return 0
	}
	sure := false
	end := 0
	for range 6 {
		k := s.comma(j)
		e := s.capital(k)
		if d := s.number(k, 2); d > 0 && s.has(d, "-chome") {
			sure, end, j = true, d+6, d+6
			continue
		}
		if e == 0 {
			if c := s.code(k); c > 0 && sure {
				end = c
				j = c
				continue
			}
			break
		}
		for _, w := range [...]string{"-ku", "-shi", "-cho", "-machi", "-ken", "-gun", "-fu", "-to", "-chome",
			"-mura", "-son"} {
			sure = sure || s.ends(e, w)
		}
		end, j = e, e
	}
	if !sure || dashes == 0 && !s.romajiTown(i, end) {
		return 0
	}
	return end
}

// romajiTown reports whether both a ward or town and a word with its kind make a number without
// hyphens an address.
func (s *search) romajiTown(i, end int) bool {
	n := 0
	for k := i; k < end; k++ {
		for _, w := range [...]string{"-ku", "-shi", "-cho", "-machi", "-ken", "-gun", "-fu", "-chome"} {
			if s.has(k, w) {
				n++
			}
		}
	}
	return n >= 2
}
