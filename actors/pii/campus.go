package pii

// shortSchool proposes schools by their everyday names, such as 東大, 第二小 or 日比谷高, and returns the
// end of what it read, 0 if none begins at an index.
func (s *search) shortSchool(i int) int {
	if c := s.is(i - 1); c == kanji || c == katakana || s.class[i] != kanji {
		if c != kanji || !s.afterSchoolWord(i) {
			return 0
		}
	}
	if end, _ := shortNames.at(s.folded, i); end > 0 && s.campusEnds(end) {
		s.propose(School, "short name", i, end)
		return end
	}
	end := s.run(i, 10, set(kanji, katakana))
	for k := i + 1; k < end; k++ {
		j := k + 1
		switch s.r[k] {
		case '大':
			if e, _ := towns.at(s.folded, i); e > 0 && (e == k || fields.exactly(s.folded, e, k)) && s.campusEnds(j) {
				s.propose(School, "short name", i, j)
				return j
			}
		case '高', '中', '小':
			if k-i >= 2 && (s.publicSchool(i, k) || s.pupils(j)) && s.campusEnds(j) &&
				!levels.exactly(s.folded, i, j) {
				s.propose(School, "short name", i, j)
				return j
			}
		}
	}
	return 0
}

// afterSchoolWord reports whether a word that comes before the names of schools ends at an
// index.
func (s *search) afterSchoolWord(i int) bool {
	st, _ := beforeName.before(s.folded, i)
	return st >= 0 && i-st > 1
}

// campusEnds reports whether the everyday name of a school may end at an index.
func (s *search) campusEnds(j int) bool {
	switch s.is(j) {
	case kanji:
		e, _ := behindCampus.at(s.folded, j)
		return e > 0
	case katakana, upper, lower, digit:
		return s.is(j) == digit
	case hiragana:
		return !restOfWord.startsAt(s.folded, j)
	}
	return true
}

// publicSchool reports whether a name begins with who runs a school, or consists of a
// number: 県立千葉東, 第二.
func (s *search) publicSchool(i, k int) bool {
	for j := i; j < k-1; j++ {
		if e, _ := founders.at(s.folded, j); e > 0 && e < k {
			return true
		}
	}
	return s.r[i] == '第' && s.numeral(i+1) && k-i <= 3
}

// pupils reports whether what follows is about the pupils of a school.
func (s *search) pupils(j int) bool {
	e, _ := behindPupils.at(s.folded, j)
	if e > 0 {
		return true
	}
	if s.has(j, "から") {
		for k := j + 3; k < j+12; k++ {
			if s.at(k) == '大' || s.has(k, "進学") {
				return true
			}
		}
	}
	if s.at(j) == 'の' {
		j++
	}
	return s.is(j) == digit && (s.at(j+1) == '年' || s.has(j+1, "組"))
}

var (
	// shortNames are universities by the names that everybody uses.
	shortNames = words(`代々木ゼミナール 河合塾 駿台予備校 四谷大塚 日能研 代ゼミ 東大 京大 阪大 名大 東北大 九大 北大 一橋大 東工大 東京科学大 早大 慶大 慶應 慶応 慶應大 慶応大
		早稲田大 明大 法大 立大 青学 青学大 青山学院大 中大 日大 東洋大 駒大 駒澤大 専大 近大 関大 関学 関学大 立命 立命館 立命館大 龍谷大 甲南大 上智 上智大 理科大 東京理科大 お茶大
		お茶の水女子大 学習院大 成蹊大 成城大 津田塾大 東女 日女 横国 横国大 都立大 市大 府大 東外大 電通大 農工大 海洋大 学芸大 東学大 芸大 東京芸大 東京藝大 藝大 筑波大 順天堂大 慈恵医大
		東京医科歯科大 防衛大 防大 自治医大 産業医大 南山大 中京大 西南大 西南学院大 福大 熊大 鹿大 琉大 千葉大 埼大 茨大 神戸大 神大 金沢大 岡大 岡山大 広島大 新潟大 信州大 静大 静岡大
		国際教養大 ICU APU 灘高 筑駒 筑附 桜蔭 ラ・サール 東大寺学園 洛南 甲陽 女子学院 雙葉 豊島岡 早実 慶應義塾 獨協大 文教大 大東大 東海大 国士舘大 帝京大 亜細亜大 拓大 拓殖大 桜美林大
		神奈川大 関東学院大 近畿大 京産大 京都産業大 佛教大 同志社 同志社大 桃山学院大 追手門学院大 摂南大 武蔵大 武蔵野大 明学 明治学院大 國學院大 国学院大`).also(0, `早慶戦`)
	// towns come before 大 in the everyday name of a university.
	towns = words(`札幌 弘前 岩手 秋田 山形 福島 茨城 宇都宮 群馬 埼玉 千葉 東京 横浜 新潟 富山 金沢 福井 山梨 信州 岐阜 静岡 名古屋 愛知 三重 滋賀 京都 大阪 神戸 奈良 和歌山 鳥取
		島根 岡山 広島 山口 徳島 香川 愛媛 高知 福岡 佐賀 長崎 熊本 大分 宮崎 鹿児島 琉球 高崎 都留 浜松 豊橋 姫路 下関 北九州 筑波 一橋 東北`)
	// fields come between a town and 大.
	fields = words(`公立 市立 府立 県立 都市 工業 教育 外国語 医科 経済 産業 商科 国際 学院 女子 学園 薬科 芸術 体育 福祉 工科 歯科 農業 看護 保健`)
	// behindCampus are words in kanji that follow the everyday name of a school.
	behindCampus = words(`卒 卒業 卒業生 出身 出 在学 在籍 生 院 院生 院卒 教授 准教授 学生 法学部 文学部 医学部 工学部 理学部 経済学部 商学部 農学部 教育学部 薬学部 前期 後期
		入試 受験 合格 志望 野球部 部 附属 付属 病院 附属病院 本郷 三田 日吉 駅伝 駅伝部 学長 総長 志望者 入学 合格者 合格発表 対 戦 三年 二年 一年 四年 校歌 校舎 校長 教頭 体育館 文化祭
		体育祭 運動会 生徒会 同窓会`)
	// behindPupils show that a name in 高, 中 or 小 is a school's.
	behindPupils = words(`出身 卒 卒業 卒業生 野球部 サッカー部 吹奏楽部 バスケ部 バレー部 陸上部 陸上競技部 剣道部 柔道部 テニス部 生徒会 校歌 校長 教頭 体育館 文化祭 体育祭 運動会
		に進学 に通 に合格 に入学 に受か に転校 を卒業 の野球部 の文化祭 の生徒 の児童 の先生 の校長 の吹奏楽部 のサッカー部 の運動会 の校庭 の体育館 の制服`)
	// restOfWord continue a word that only looks like a school, such as 広大な.
	restOfWord = words(`な き した する して さ`)
	// levels look like the name of a school but are another word.
	levels = words(`最高 円高 残高 標高 売上高 割高 座高 金額高 生産高 出来高 収穫高 株高 原油高 ドル高 世界中 日本中 一日中 家中 町中 街中 年中 夜中 午前中 今年中 今月中 今週中
		今日中 明日中 工事中 営業中 準備中 開催中 外出中 移動中 会議中 電話中 運転中 仕事中 勉強中 授業中 食事中 休憩中 進行中 最中 作業中 留守中 在宅中 在学中 在籍中 出張中 休業中 療養中 入院中
		妊娠中 使用中 募集中 販売中 検討中 確認中 調整中 大中小 極小 最小 縮小 過小 弱小 群小 大小 中小 狭小 矮小 女子高 男子高 進学高 附属高 付属高 公立高 私立高 市立高 県立高 都立高 公立中
		私立中 市立中 県立中 公立小 私立小 市立小 区立小 区立中 道立高 府立高 国立小 国立中 国立高 母校 中高 小中 中小中`)
)
