package pii

// addresses proposes Japanese addresses: a postal code, a prefecture with places in it,
// or a municipality with a block number.
func (s *search) addresses() {
	for i := 0; i < len(s.r); i++ {
		end := 0
		switch c := s.class[i]; {
		case s.r[i] == '〒':
			end = s.postal(i)
		case c == digit && !s.word(i-1) && s.at(i-1) != '-' && s.at(i-1) != '.':
			end = s.bareCode(i)
		case c == katakana, c == kanji && s.is(i-1) != kanji, s.japanese(i) && s.starts[i]&startsTown != 0:
			end = s.place(i)
		}
		if end > 0 {
			i = end - 1
		}
	}
}

// postal proposes 〒 and what follows it: a code, and an address.
func (s *search) postal(i int) int {
	k := s.run(i+1, 1, set(space))
	j := s.code(k)
	if d := s.run(k, 8, set(digit)); d-k == 7 {
		j = d // without its hyphen
	}
	if j == 0 {
		return 0
	}
	end := j
	if k := s.skipToPlace(j); s.japanese(k) {
		if e := s.address(k, true); e > 0 {
			end = e
		}
	}
	s.propose(Address, "postal code", i, end)
	return end
}

// bareCode proposes a postal code without its mark if an address follows, or if a word
// says that it is one.
func (s *search) bareCode(i int) int {
	j := s.code(i)
	if j == 0 {
		return 0
	}
	if k := s.skipToPlace(j); s.japanese(k) {
		if e := s.address(k, true); e > 0 {
			s.propose(Address, "postal code", i, e)
			return e
		}
	}
	if s.before(cuePost, i, 8) {
		s.propose(Address, "postal code", i, j)
		return j
	}
	return 0
}

// skipToPlace skips what is between a code and an address.
func (s *search) skipToPlace(j int) int {
	if s.at(j) == ')' {
		j++
	}
	return s.run(j, 2, set(space, newline))
}

// code returns the end of three and four digits, 0 if there is anything else.
func (s *search) code(i int) int {
	j := s.run(i, 4, set(digit))
	if j-i != 3 || s.at(j) != '-' && s.at(j) != 'ー' {
		return 0
	}
	k := s.run(j+1, 5, set(digit))
	if k-j != 5 || s.word(k) || (s.at(k) == '-' || s.at(k) == 'ー') && s.is(k+1) == digit {
		return 0
	}
	return k
}

// place proposes an address that begins with the name of a place.
func (s *search) place(i int) int {
	if end := s.address(i, false); end > 0 {
		s.propose(Address, "place", i, end)
		return end
	}
	return 0
}

const (
	longestTown = 12 // runes of the name of a municipality or of a part of one
	mostParts   = 6  // parts of the rest of an address
)

var prefectures = words(`北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県 岐阜県 静岡県 愛知県
	三重県 滋賀県 京都府 大阪府 兵庫県 奈良県 和歌山県 鳥取県 島根県 岡山県 広島県 山口県 徳島県 香川県 愛媛県 高知県 福岡県 佐賀県 長崎県 熊本県 大分県 宮崎県 鹿児島県 沖縄県`)

// kanaTowns are municipalities with kana in their names, including the last letter.
var kanaTowns = words(`さいたま市 ひたちなか市 つくば市 つくばみらい市 かすみがうら市 いすみ市 みどり市 みなかみ町 ときがわ町 ふじみ野市 あきる野市 かほく市 あわら市 おおい町 いなべ市 みよし市
	あま市 たつの市 南あわじ市 かつらぎ町 さぬき市 東かがわ市 まんのう町 いの町 うきは市 みやま市 みやこ町 みやき町 えびの市 さつま町 うるま市 おいらせ町 つがる市 むつ市 にかほ市 いわき市 せたな町 ニセコ町
	えりも町 むかわ町 南アルプス市 つるぎ町 ひだか町 すさみ町 さつま町 おおぞら町 湧別町 ときがわ町 いちき串木野市 南さつま市 あさぎり町 せとうち町 さくら市 みなべ町 上ノ国町`)

// designated are cities with wards, which are addresses by themselves.
var designated = words(`札幌市 仙台市 さいたま市 千葉市 横浜市 川崎市 相模原市 新潟市 静岡市 浜松市 名古屋市 京都市 大阪市 堺市 神戸市 岡山市 広島市 北九州市 福岡市 熊本市`)

// warded reports whether such a city and one of its wards begin at an index.
func (s *search) warded(i int) bool {
	e, _ := designated.at(s.folded, i)
	for j := e + 1; e > 0 && j < e+5 && s.is(j-1) == kanji; j++ {
		if s.at(j) == '区' {
			return true
		}
	}
	return false
}

// crossings say where a house in Kyoto is: which way from a crossing of streets.
var crossings = words(`上る 下る 上ル 下ル 上がる 下がる 西入る 東入る 西入ル 東入ル 西入 東入 上 下`)

// notTown are words that turn a municipality into something else, such as an office or
// its people.
var notTown = words(`立 民 長 役所 役場 議 営 史 税 場 街地 販 況 庁 警 制 県 立て 村合併 町村 区町村 内 外 全域 全体 政 分 別 画 間 域`)

// address is the end of an address that begins at an index, 0 if none does. After
// a postal code a town alone is one.
func (s *search) address(i int, coded bool) int {
	j := -1
	if s.is(i) != newline && s.starts[i]&startsTown != 0 {
		j, _ = prefectures.at(s.folded, i)
	}
	known := j > 0
	if !known {
		if s.japanese(i-1) && s.class[i-1] == kanji && s.class[i] == kanji {
			return 0
		}
		j = i
	} else {
		j = s.run(j, 1, set(space))
	}
	muni := s.municipality(j, known)
	if muni == 0 {
		if coded || known {
			if e, numbered := s.rest(j); e > 0 && numbered {
				return e
			}
		}
		return s.block(i, known)
	}
	if !known && !s.townName(j, muni) {
		return 0
	}
	if s.at(muni) == '立' {
		return 0 // 札幌市立
	}
	end, numbered := s.rest(muni)
	switch {
	case numbered:
		return end
	case known || coded || s.warded(i):
		if n, _ := notTown.at(s.folded, muni); n >= 0 {
			return 0
		}
		if end > 0 {
			return end
		}
		return muni
	}
	return 0
}

// townName reports whether what comes before 市, 区 and so on may be a name, unlike 都市, 地区,
// 下町.
func (s *search) townName(i, j int) bool {
	return !notNames.exactly(s.folded, i, j) && j-i >= 2
}

var notNames = words(`都市 地区 下町 城下町 港町 学区 校区 選挙区 中心市 同市 同区 同町 各市 各区 隣町 隣の市 この町 その町 他市 他区 全区 大都市 地方都市 政令指定都市 特別区 市区 市町村
	区市町村 農村 漁村 山村 街区 管区 軍区 教区 解放区 自治区 海区`)

// municipality returns the end of the names of a municipality and its ward: 市, 区, 郡 with
// 町 or 村; 0 if none begins at an index.
func (s *search) municipality(i int, known bool) int {
	end := 0
	for range 3 {
		i = s.run(i, 1, set(space))
		j := s.unit(i, known || end > 0)
		if j == 0 {
			break
		}
		end = j
		if s.r[j-1] == '町' || s.r[j-1] == '村' || s.r[j-1] == '区' {
			break
		}
		i = j
	}
	return end
}

// unit returns the end of one such name.
func (s *search) unit(i int, known bool) int {
	if j, _ := kanaTowns.at(s.folded, i); j > 0 {
		return j
	}
	end := 0
	for j := i; j < min(i+longestTown, len(s.r)); j++ {
		switch r := s.r[j]; {
		case r == '市' || r == '区' || r == '町' || r == '村' || r == '郡':
			if j == i || j == i+1 && s.class[i] != kanji {
				continue
			}
			// 市川市, 町田市, 村上市, 郡山市: the first such letter does not end the name.
			if n := s.is(j + 1); n == kanji && (s.at(j+1) == '市' || s.at(j+1) == '町' || s.at(j+1) == '村' ||
				s.at(j+1) == '区') {
				continue
			}
			if (r == '町' || r == '村' || r == '郡') && s.cityLater(j+1) {
				continue
			}
			return j + 1
		case s.class[j] == kanji, r == 'ヶ', r == 'ケ', r == 'ノ', r == 'ヵ', r == 'ッ':
		case r == 'の' && j > i && s.is(j+1) == kanji && known && s.is(j-1) == kanji:
			if s.at(j+1) == '市' || s.at(j+1) == '町' || s.at(j+1) == '村' {
				return end
			}
		default:
			return end
		}
	}
	return end
}

// cityLater reports whether 市 follows after a letter or two: 町 and 村 are part of
// its name (大町市, 東村山市, 郡山市).
func (s *search) cityLater(j int) bool {
	for k := j; k < j+2; k++ {
		if s.is(k) != kanji {
			return false
		}
		if s.r[k] == '市' && !(s.at(k+1) == '場') {
			return true
		}
	}
	return false
}

// rest returns the end of what follows a municipality: towns, numbers, a building. It
// also reports whether there was a number; without one only a town in kanji counts.
func (s *search) rest(i int) (end int, numbered bool) {
	j := i
	for range mostParts {
		town := s.town(j)
		n := s.blockNumber(s.run(town, 1, set(space)))
		if n == 0 && town > j {
			n = s.blockNumber(town)
		}
		if n == 0 {
			if !numbered && town > j {
				end = s.kanjiTown(j, town)
			}
			break
		}
		end, j, numbered = n, n, true
		if s.is(j) == space || !s.japanese(j) {
			break
		}
	}
	if numbered {
		end = s.building(end)
	}
	return end, numbered
}

// town returns the end of town names: kanji and kana, up to a number or a word of the
// sentence.
func (s *search) town(i int) int {
	k := s.run(i, 1, set(space))
	j := k
	for j < min(k+20, len(s.r)) {
		if s.class[j] == kanji || s.class[j] == katakana {
			if s.blockNumber(j) > 0 {
				break
			}
			j++
			continue
		}
		if e, _ := crossings.at(s.folded, j); e > 0 {
			j = e
			continue
		}
		// Kana are part of a name when a number follows soon.
		if s.class[j] == hiragana && s.numberSoon(j) {
			j++
			continue
		}
		break
	}
	return j
}

// numberSoon reports whether a number follows within a few kana and kanji.
func (s *search) numberSoon(i int) bool {
	for j := i; j < i+8; j++ {
		if s.is(j) == digit {
			return s.blockNumber(j) > 0
		}
		if !s.japanese(j) || s.at(j) == 'は' || s.at(j) == 'で' || s.at(j) == 'を' || s.at(j) == 'が' || s.at(j) == 'に' {
			return false
		}
		if s.blockNumber(j) > 0 {
			return true
		}
	}
	return false
}

// kanjiTown returns the end of a town without a number: kanji only, and no word of
// notTown.
func (s *search) kanjiTown(i, most int) int {
	j := s.run(i, most-i, set(kanji, katakana))
	for k := i; k < j; k++ {
		if e, _ := afterPlace.at(s.folded, k); e >= 0 {
			return k
		}
	}
	return j
}

var afterPlace = words(`在住 出身 周辺 付近 方面 勤務 役所 役場 内 外 産 行 着 発 駅 民 立 長 県 警 全域 中心 郊外 近郊 育 生 某所 地域 地方 一帯 側 境 議会 市場 消防 病院 大学
	高校 支店 支社 本社 本店 営業所 事務所 図書館 公民館 公園 空港 港`)

// blockNumber returns the end of the number of a block, a house or a flat: 1-2-3,
// 3丁目5番2号, 二丁目, 123番地の4. 0 if none begins at an index.
func (s *search) blockNumber(i int) int {
	end := 0
	for n := 0; n < 8; n++ {
		j := i
		for j <= i+5 && (s.numeral(j) || s.at(j) == '十' || s.at(j) == '百' && j > i) {
			j++
		}
		if j == i || j-i > 5 {
			break
		}
		kanjiOnly := s.class[i] == kanji
		k, _ := blockWords.at(s.folded, j)
		if k < 0 {
			k = j
			if kanjiOnly && !s.dashed(j) && end == 0 {
				break
			}
			if s.amount(j) {
				break
			}
			end = j
		} else {
			end = k
		}
		if s.dashed(k) {
			i = k + 1
			continue
		}
		if k == j {
			break
		}
		i = s.run(k, 1, set(space))
	}
	if s.at(end-1) == 'の' && !s.numeral(end) {
		end-- // 一丁目のアパート
	}
	return end
}

// amount reports whether a number counts something, or is a time.
func (s *search) amount(j int) bool {
	if s.at(j) == ':' || s.at(j) == ',' && s.is(j+1) == digit || s.at(j) == '.' && s.is(j+1) == digit ||
		s.at(j) == '%' {
		return true
	}
	e, _ := units.at(s.folded, j)
	return e >= 0
}

// dashed reports whether there is a hyphen or の before a number.
func (s *search) dashed(i int) bool {
	switch s.at(i) {
	case '-', 'ー', 'の', 'ノ', '~', '−':
		return s.numeral(i + 1)
	}
	return false
}

var blockWords = words(`丁目 丁 番地 番 号 番町 条 線 号棟 条通 番地の 番丁 号室 地割 条西 条東 条北 条南 条通り 号地 街区 丁目の`)

// block returns the end of an address without a municipality, recognised by the form of
// its number: 本町3丁目5番2号; 0 if there is none.
func (s *search) block(i int, known bool) int {
	j := s.run(i, longestTown, set(kanji, katakana))
	for k := i + 1; k <= j; k++ {
		if s.numeral(k) || k == j {
			j = k
			break
		}
	}
	if j-i < 2 || !s.numeral(j) && !known {
		return 0
	}
	if !blockForm(s, j) {
		return 0
	}
	if e := s.blockNumber(j); e > 0 {
		return s.building(e)
	}
	return 0
}

// blockForm reports whether 丁目 with more after it, or 番地, follows the digits at an index.
func blockForm(s *search, i int) bool {
	j := i
	for j <= i+5 && (s.numeral(j) || s.at(j) == '十') {
		j++
	}
	if j == i {
		return false
	}
	return s.has(j, "丁目") && s.numeral(j+2) || s.has(j, "番地")
}

var buildings = words(`ビッグ フロント スカイ シャルム エクセル メモリアル プレミア フォレスト リバー コーポラティブ アネックス イースト ウエスト ノース サウス ベイ マンション アーバン シティ
		クレスト マンション ビル ビルディング ハイツ コーポ アパート タワー レジデンス 荘 ハウス メゾン パーク ヒルズ プラザ コート 棟 館 団地 グラン
	グランメゾン ハイム パレス レジデンシャル シャトー ドミール ロイヤル ライオンズ 号室 号 階 F フロア 室 寮 ヴィラ ガーデン スクエア センター 会館 コーポラス サンハイツ パークハイツ ステージ フラット
	テラス ハイライズ エステート 住宅 官舎 社宅 宿舎 building bldg`)

// building returns the end of a building's name and room after a house number, or the end
// of that number if there is no building.
func (s *search) building(end int) int {
	i := s.run(end, 1, set(space))
	if i == end && s.is(i) == hiragana {
		return end
	}
	name := s.run(i, 24, set(kanji, katakana, upper, lower, digit))
	if i > end && s.is(i) == hiragana { // はりまやハイツ
		k := s.run(i, 7, set(hiragana))
		if name = s.run(k, 20, set(kanji, katakana, digit)); !buildingInside(s, k, name) {
			return end
		}
	}
	if s.at(name) == '・' {
		name = s.run(name+1, 20, set(kanji, katakana, upper, lower, digit))
	}
	if s.is(name) == hiragana && i > end && buildingInside(s, i, name) {
		name = s.kanaTail(name)
	}
	j := s.run(name, 1, set(space))
	room := s.run(j, 5, set(digit))
	if room == j {
		room = name
	}
	named := buildingInside(s, i, name)
	if s.is(i) == upper && i > end && room-j >= 3 && room-j <= 4 && s.is(room) != hiragana && !s.amount(room) {
		named = true // VORT中目黒 401
	}
	if e, _ := roomWords.at(s.folded, room); e > 0 && room > i && s.is(room-1) == digit {
		room, named = e, true
	}
	if s.at(room) == '-' && s.is(room+1) == digit && named {
		room = s.run(room+1, 5, set(digit))
	}
	if !named || s.latin(room) {
		return end
	}
	if k := s.run(room, 1, set(space)); s.is(k) == digit { // 3階 301号室
		if d := s.run(k, 5, set(digit)); d > k {
			if e, _ := roomWords.at(s.folded, d); e > 0 {
				return e
			}
			if k > room && !s.amount(d) && s.at(d) != '-' {
				return d
			}
		}
	}
	return room
}

// kanaTail returns the end of kana that end the name of a building, because the line ends or
// a number follows; else where they begin.
func (s *search) kanaTail(i int) int {
	j := s.run(i, 8, set(hiragana))
	if c := s.is(j); c == newline || c == space && s.is(j+1) == digit || c == digit {
		if e, _ := particles.at(s.folded, i); e < 0 || j-i > 3 {
			return j
		}
	}
	return i
}

var roomWords = words(`号室 号 階 F 室 号棟 棟`)

// buildingInside reports whether a name is a building's.
func buildingInside(s *search, i, j int) bool {
	for k := i; k < j; k++ {
		for _, e := range buildings.first.of(lowered(s.r[k]), lowered(s.at(k+1))) {
			if k+len(e.word) <= j && s.spells(k, e.word) && (len(e.word) > 1 || k+1 == j || s.is(k+1) == digit) {
				return true
			}
		}
	}
	return false
}
