package pii

// saysWho reports whether a surname, which may be another word too, names the one who writes
// or speaks: お世話になっております、西です。 or 内海がお電話代わりました.
func (s *search) saysWho(i, end int) bool {
	if me := s.at(i-1) == '私'; me || s.opensLine(i) {
		if speaks.startsAt(s.folded, end) {
			return true
		}
		return s.selfEnds(end) && (!bigPlaces.exactly(s.folded, i, end) ||
			greetings.endsAt(s.folded, s.beforeMark(i)) || politely.inside(s.folded, end, min(end+12, len(s.r))))
	}
	return (s.has(end, "です") || s.has(end, "でございます")) && humble.endsAt(s.folded, i)
}

// opensLine reports whether a line begins at an index, or a greeting ends there.
func (s *search) opensLine(i int) bool {
	k := s.beforeMark(i)
	return s.is(k-1) == newline || greetings.endsAt(s.folded, k)
}

// beforeMark goes back over the mark and the space between a greeting and a name.
func (s *search) beforeMark(i int) int {
	k := i
	for k > i-2 && (s.is(k-1) == space || s.at(k-1) == '、' || s.at(k-1) == '。' || s.at(k-1) == '!') {
		k--
	}
	return k
}

// selfEnds reports whether a sentence that only says a name ends after an index, and that
// another one follows.
func (s *search) selfEnds(i int) bool {
	for _, w := range [...]string{"です", "でございます", "ですが", "ですけど", "だけど", "だよ"} {
		if !s.has(i, w) {
			continue
		}
		j := i + len([]rune(w))
		switch s.at(j) {
		case '。', '、', '!', '.', ',':
			return s.is(j+1) != newline
		}
		return len([]rune(w)) > 2 && s.japanese(j) || s.is(j) == space && s.japanese(j+1)
	}
	return false
}

var (
	// bigPlaces answer where somebody is as often as who somebody is.
	bigPlaces = words(`千葉 福島 宮城 山形 石川 福井 福岡 長野 岐阜 三重 奈良 山口 徳島 香川 高知 佐賀 長崎 熊本 大分 宮崎 秋田 青森 岡山 富山 山梨 滋賀 広島 品川 目黒 大宮
		川口 川崎 立川 上野 赤坂 大森 蒲田 中野 町田 柏 松本 松山 高松 高崎 前橋 水戸 大津 津 堺 神戸 豊田 豊橋 岡崎 三島 藤沢 平塚 小田原 船橋 市川 松戸 川越 草津 福山 倉敷 下関 長岡
		酒田 米沢 会津 八戸 弘前`)
	// politely follow somebody's own name in a letter.
	politely  = words(`お世話 お疲れ 先日 先ほど 本日 よろしく 宜しく 失礼 申し訳 ありがとう 有難う いつも ご無沙汰 ご連絡 お電話 お願い 遅れ 遅刻 休み`)
	greetings = words(`お世話になっております お世話になります お世話になってます お疲れ様です お疲れさまです おつかれさまです おはようございます こんにちは こんばんは はじめまして 初めまして
		もしもし すみません すいません 失礼します 失礼いたします お待たせしました お待たせいたしました ご無沙汰しております お久しぶりです いつもありがとうございます こちら`)
	speaks = words(`がお電話 がお伺い が伺い が承り が参り が担当 が対応いたし が対応し がご案内 がご説明 がご連絡 がお答え がご対応`)
	humble = words(`いたしました いただきました いただいた いただきます いただいております ております 申し上げた 申し上げました お電話した 電話した 連絡した ご連絡した お送りした
		させていただく 担当する 担当します`)
)

// startsAt reports whether a word of the lexicon begins at an index, and endsAt whether one
// ends there.
func (l *lexicon) startsAt(f *folded, i int) bool { end, _ := l.at(f, i); return end > 0 }
func (l *lexicon) endsAt(f *folded, i int) bool   { start, _ := l.before(f, i); return start >= 0 }

// actsLikePerson reports whether something that only people do follows a surname, which may be
// another word too: 上野から電話があった.
func (s *search) actsLikePerson(i, end int) bool {
	return end > i+1 && personal.startsAt(s.folded, end)
}

// personal are phrases that follow persons only.
var personal = words(`んち ん家 ってどんな人 っていう人 って人 という人 という者 からの電話 からの伝言 からの連絡 から電話 から連絡 からメール からLINE から聞い から伺 から預か
		から引き継 に聞いて に聞いた に聞いとい に伝え に渡し に頼ん に相談し に任せ と相談し と話し と飲み と飲ん と会っ に会っ が言って が言うに が休み が欠席 が遅れ が遅刻 が熱 が担当 が辞め
		が怒っ が泣い が結婚 が退職 が入社 が異動 が司会 が受付 が幹事 って奴 のやつ の奴 も来る も来て も欠席 も参加する が承り がご対応 より折り返し より連絡 よりご連絡 より電話 よりお電話
		より追って より改めて がお電話 がお伺い が伺い`)

// oldName returns the end of a given name that ends as those of men did: 与三郎, 久右衛門. It
// returns 0 if none begins at an index.
func (s *search) oldName(i int) int {
	if s.class[i] != kanji || s.is(i-1) == kanji {
		return 0
	}
	end := s.run(i, 6, set(kanji))
	for k := i + 1; k < min(i+3, end); k++ {
		if j, _ := maleEnds.at(s.folded, k); j == end && s.givenLike(i, k) &&
			!notFull.startsAt(s.folded, i) {
			return end
		}
	}
	return 0
}

var maleEnds = words(`太郎 次郎 二郎 三郎 四郎 五郎 一郎 之助 之介 之丞 右衛門 左衛門 兵衛 ノ介 ノ助`)
