package pii

import "strings"

// said proposes the password or code after a word for one that a sentence says: パスワードはひみつ123です,
// 合言葉は「山と川」, the password is swordfish. What is said of passwords in general is no password.
func (s *search) said(i, end int, mark uint32) {
	k, link := s.saidLink(end)
	switch {
	case link == 0:
	case mark == 1, s.has(i, "パスコード"):
		s.saidCode(k)
	case !saidWords.exactly(s.folded, i, end):
	case s.quoted(k):
	case link == 'i':
		s.saidEnglish(k)
	default:
		s.saidJapanese(i, k, link)
	}
}

// saidLink skips what links a word with what is said of it, and hedges. The link is は, : (or =), i for is, or 0
// if there is none.
func (s *search) saidLink(end int) (k int, link rune) {
	k = s.run(end, 2, set(space))
	switch {
	case s.at(k) == 'は', s.at(k) == ':':
		k, link = k+1, s.at(k)
	case s.at(k) == '=':
		k, link = k+1, ':'
	case k > end && (s.has(k, "is ") || s.has(k, "was ")):
		k, link = s.run(k, 3, set(lower)), 'i'
	default:
		return end, 0
	}
	for range 3 {
		if s.at(k) == '、' {
			k++
		}
		k = s.run(k, 2, set(space))
		e, _ := hedges.at(s.folded, k)
		if e < 0 {
			break
		}
		k = e
	}
	return k, link
}

// saidCode proposes a row of digits that counts nothing.
func (s *search) saidCode(k int) {
	j := s.run(k, 11, set(digit))
	if j-k >= 3 && j-k <= 10 && !s.counted(j) && !s.word(j) && s.at(j) != '.' && !s.same(k, j) {
		s.propose(Secret, "code", k, j)
	}
}

// counted reports whether digits before an index say how many or when.
func (s *search) counted(j int) bool { return counters.startsAt(s.folded, s.run(j, 1, set(space))) }

// quoted proposes what stands in quotes, unless it says something about passwords.
func (s *search) quoted(k int) bool {
	var shut rune
	switch open := s.at(k); open {
	case '「':
		shut = '」'
	case '『':
		shut = '』'
	case '"', '\'':
		shut = open
	default:
		return false
	}
	j := k + 1
	for j < k+longestSaid && s.at(j) != shut && s.is(j) != newline {
		j++
	}
	switch {
	case s.at(j) != shut, j-k < 3, s.same(k+1, j), shows.startsAt(s.folded, j+1), s.ofPasswords(k+1, j),
		notSaidEnglish.exactly(s.folded, k+1, j), everyday.exactly(s.folded, k+1, j), phrases.inside(s.folded, k+1, j):
	default:
		s.propose(Secret, "password said", k+1, j)
	}
	return true
}

const longestSaid = 40 // runes

// saidEnglish proposes one word that ends a clause and does not describe.
func (s *search) saidEnglish(k int) {
	j := s.run(k, longestWord, set(lower, upper))
	if j-k < 4 || s.ends(j, "ed") || s.ends(j, "ing") || s.ends(j, "ble") || everyday.exactly(s.folded, k, j) ||
		notSaidEnglish.exactly(s.folded, k, j) {
		return
	}
	switch e := s.run(j, 1, set(space)); s.at(e) {
	case '.', '!', ',', ')', ';':
		if s.word(e + 1) {
			return
		}
	default:
		if s.is(e) != newline {
			return
		}
	}
	s.propose(Secret, "password said", k, j)
}

// saidJapanese proposes a word of Japanese letters, or a mix of them with digits and Latin ones, up to what ends
// the sentence.
func (s *search) saidJapanese(i, k int, link rune) {
	j, copula := s.saidEnd(k)
	if j-k < 2 || j-k > longestSaid/2 || s.class[k] == other || s.ofPasswords(k, j) || s.same(k, j) {
		return
	}
	switch {
	case s.hasDigit(k, j):
		if !s.mixedSaid(k, j) {
			return
		}
	case s.run(k, j-k, set(kanji, hiragana, katakana)) != j:
		return
	case s.has(i, "合言葉") || link == ':':
		if !copula && s.inflected(k, j) {
			return
		}
	case !copula || s.inflected(k, j) || s.run(k, j-k, set(hiragana)) != j && s.run(k, j-k, set(katakana)) != j:
		return
	}
	s.propose(Secret, "password said", k, j)
}

// saidEnd returns where a word ends: before です and the like, or at the end of a clause.
func (s *search) saidEnd(k int) (j int, copula bool) {
	for j = k; j < k+longestSaid; j++ {
		switch s.is(j) {
		case newline, space:
			return j, false
		case other:
			switch s.at(j) {
			case '、', '。', ',', '」', ')', '(':
				return j, s.at(j) == '。'
			}
		case hiragana:
			if j > k+1 && saidCopulas.startsAt(s.folded, j) {
				return j, true
			}
		}
	}
	return k, false
}

// mixedSaid reports whether digits begin or end Japanese letters without counting anything.
func (s *search) mixedSaid(k, j int) bool {
	if j-k < 4 || s.run(k, j-k, set(digit, upper, lower, other)) == j {
		return false
	}
	if first := s.run(k, j-k, set(digit)); first > k {
		return first-k > 1 && !s.counted(first) && !s.inflected(k, j)
	}
	last := s.back(j, j-k, set(digit))
	return last < j && !s.counted(j)
}

func (s *search) hasDigit(i, j int) bool {
	digits, _, _ := s.contents(i, j)
	return digits > 0
}

// inflected reports whether kana end a verb, an adjective or a phrase.
func (s *search) inflected(i, j int) bool {
	if s.r[j-1] == 'ん' {
		return s.ends(j, "せん")
	}
	return s.verbal(i, j)
}

// ofPasswords reports whether words describe a password, or tell what to do with it.
func (s *search) ofPasswords(i, j int) bool {
	for k := i; k < j; k++ {
		if s.class[k] == kanji && strings.ContainsRune(officeKanji, s.r[k]) {
			return true
		}
	}
	return !s.hasDigit(i, j) && notSaid.inside(s.folded, i, j)
}

// partOfSaid reports whether Latin letters and digits go on in Japanese ones, as in abcひみつ12です.
func (s *search) partOfSaid(i, j int) bool { return s.run(i, j-i, set(digit)) == j && s.counted(j) }

// assigned reports whether : or = stands just before a value.
func (s *search) assigned(i int) bool {
	k := s.back(i, 2, set(space))
	return s.at(k-1) == ':' || s.at(k-1) == '='
}

var (
	// saidWords are words for a password that people choose and say.
	saidWords = words(`password passwd passphrase pwd pw パスワード 合言葉 wi-fi_password wifi_password`)
	hedges    = words(`たしか 確か 多分 たぶん 今のところ 今は 今回は 現在は 前と同じ 誕生日の いつもの 例の もちろん いまは 一応 とりあえず
		actually probably still now currently just`)
	saidCopulas = words(`です でした だよ だね だから だった だって だけど だと だし だっけ だぞ だわ だ。 なので なんだ なんで にしま にした に変 になり になって
		でお願い で入 で開 でログ でいけ でよろ じゃ ね。 だっ`)
	counters = words(`文字 桁 ケタ けた 回 ヶ月 か月 カ月 ケ月 箇月 月 年 日 分 時 秒 個 つ 人 名 種 番目 行 件 週 度目 円 歳 ページ 段階 台 世代 以上 以下 未満
		digits characters chars times attempts minutes seconds hours days`)
	shows = words(`と表示 と出 と言 と書 という といった って出 って表示 の欄 欄 ボタン を押 を選 を参照 をクリック をタップ から から変更 に記載 に書 は`)
	// notSaid are words in what is said of a password in general.
	notSaid = words(`ひみつ なし ない いつも これ それ あれ こちら そちら ここ どれ なん なに そのまま ばらばら バラバラ おなじ べつ べつべつ ランダム デフォルト
		アルファベット メール リセット ハッシュ シンプル テキスト ローマ字 カタカナ ひらがな ユニーク チャット スマホ アプリ サイト オプション そう こう どう だめ ダメ まだ
		まま とおり あと あとで のちほど だれ いくつ すべて ぜんぶ みんな かんたん むり わから あり あん ください スペース メモ ノート`)
	notSaidEnglish = words(`correct incorrect weak strong secure insecure safe here same different good bad fine great
		private public easy hard simple complex short long stupid broken there mandatory
		sensitive important needed okay right
		random temporary invalid unique blank stale gone back mine yours hers everything something nothing anything
		compulsory obvious terrible awful crucial overkill forever`)
	// phrases have such words, and passwords rarely do.
	phrases = words(`at on in for to of the an is are was must should not too least this that field required please
		enter you your my be has can cannot`)
)

// officeKanji are kanji of words that rules, forms and notices have.
const officeKanji = `送別無有変更要必須任意未済参照同共非設定初期入力確認再発行管理自動秘密忘失文字桁数英半全角記以内外前後次今既存使用不可能限切号化社問連絡省略伏知例担当何誰特私皆毎誤違簡単複雑長短強弱覚教`
