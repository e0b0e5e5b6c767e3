package pii

// foreignName returns the end of a name in katakana of several parts, such as
// マリア・ゴンザレス, that begins at an index: a frequent one comes first, or, after a word that
// the gazetteer does not have, last. It returns 0 if there is none.
func (s *search) foreignName(i int) int {
	if s.class[i] != katakana || s.at(i-1) == '・' && s.is(i-2) == katakana {
		return 0
	}
	end := s.run(i, longestPart, set(katakana))
	first, known := s.listed.japanese.marked(s.folded, i, end)
	parts, last, lastKnown, listed := 1, first, known, 0
	if known && first&given != 0 {
		listed++
	}
	for parts < 4 && s.joinsParts(end) && s.is(end+1) == katakana {
		start := end + 1
		end = s.run(start, longestPart, set(katakana))
		if last, lastKnown = s.listed.japanese.marked(s.folded, start, end); lastKnown && last&given != 0 {
			listed++
		}
		parts++
	}
	switch sure := known && first&given != 0 && first&doubtful2 == 0; {
	case parts < 2 || s.is(end) == katakana || s.things(i, end):
		return 0
	case sure, listed > 1,
		parts == 2 && koreanFamilies.startsAt(s.folded, i) && s.joinsParts(i+koreanFamilyLength(s, i)),
		lastKnown && last&given != 0 && last&doubtful2 == 0 && end-i >= 6:
		return end
	}
	return 0
}

// koreanFamilyLength is how long the Korean family name at an index is.
func koreanFamilyLength(s *search, i int) int {
	end, _ := koreanFamilies.at(s.folded, i)
	return end - i
}

var koreanFamilies = words(`キム パク チェ チョン カン チョ ユン チャン イム ハン ソ クォン ファン アン ソン イ ペ ノ ムン ナム チン オ ホ ホン シム`)

const longestPart = 12 // runes of a part of a name in katakana

// joinsParts reports whether a sign joins the parts of a name in katakana.
func (s *search) joinsParts(i int) bool {
	return s.at(i) == '・' || s.at(i) == '=' || s.at(i) == '゠'
}

// things reports whether a part of a row in katakana is a thing, as in マーク・シート.
func (s *search) things(i, j int) bool { return katakanaThings.inside(s.folded, i, j) }

var katakanaThings = words(`シート コーヒー ケーキ ホテル ビル タワー カフェ レストラン ジャパン ランド パーク シティ センター ストア マーケット グループ カンパニー
	ブランド スクール クラブ カップ オープン リーグ チーム ゲーム ショー フェスティバル スタジアム アリーナ ストリート アベニュー スクエア ガーデン プラザ ミュージアム コレクション
	システム サービス ソフト テクノロジー メディア ミュージック レコード ピクチャーズ スタジオ エンターテインメント`)
