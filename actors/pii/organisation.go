package pii

// organisations proposes Japanese companies by their legal form, before or after
// their name, and schools by the word that ends their names.
func (s *search) organisations() {
	for i := 0; i < len(s.r); i++ {
		c := s.class[i]
		if c != kanji && c != katakana && c != hiragana && s.r[i] != '(' && c != upper {
			continue
		}
		if s.starts[i]&startsForm != 0 {
			if end, _ := legalForms.at(s.folded, i); end > 0 {
				i = s.company(i, end) - 1
				continue
			}
		}
		if c != katakana && s.starts[i]&startsEmployer != 0 {
			s.employed(i)
		}
		if c == hiragana {
			continue
		}
		if s.starts[i]&startsOffice == 0 {
			if end := s.shortSchool(i); end > 0 {
				i = end - 1
			}
			continue
		}
		if end, mark := schoolWords.at(s.folded, i); end > 0 {
			i = s.school(i, end, mark) - 1
			continue
		}
		if end := s.shortSchool(i); end > 0 {
			i = end - 1
			continue
		}
		if end, mark := clinicWords.at(s.folded, i); end > 0 {
			s.clinic(i, end, mark)
			i = end - 1
			continue
		}
		if end, _ := trades.at(s.folded, i); end > 0 {
			s.trade(i, end)
			i = end - 1
		}
	}
}

var (
	legalForms = words(`カ) ユ) ド) シャ) 社会医療法人財団 社会医療法人 国立大学法人 公立大学法人 地方独立行政法人 認定NPO法人 信用協同組合 投資法人 有限責任事業組合 技術研究組合
		管理組合法人 更生保護法人 職業訓練法人 株式会社 有限会社 合同会社 合資会社 合名会社 相互会社 (株) (有) (合) (同) (名) (資) (社) (財) (医) (福) (一社) (一財)
		一般社団法人 一般財団法人 公益社団法人 公益財団法人 社団法人 財団法人 医療法人社団 医療法人財団 医療法人 社会福祉法人 特定非営利活動法人 NPO法人 独立行政法人 国立研究開発法人 宗教法人 学校法人
		農業協同組合 生活協同組合 税理士法人 弁護士法人 監査法人 特許業務法人 社会保険労務士法人 司法書士法人 行政書士法人 有限責任監査法人 農事組合法人 企業組合 協同組合
		土地家屋調査士法人 弁理士法人 労働者協同組合 特定目的会社 (特非) (独) (学) (宗) (労) (弁) (税) 股份有限公司 有限責任公司 有限公司`)
	// trades end the names of companies that leave out their legal form.
	trades = words(`信用組合 総研 総合研究所 鋼業 紡績 水産 運送 出版 書房 新聞社 建材 電設 造園 ハウジング 商事 物産 製薬 製作所 証券 電機 電力 建設 工務店 不動産 ホールディングス
		ホールディング 信用金庫 銀行 重工 重工業 製鉄 製鋼 製紙 製菓 製粉 酒造 醸造 印刷 運輸 海運 急便 鉄道 電鉄 航空 生命保険 損害保険 損保 海上火災 自動車 精機 精工 工機 電器 電工 電線
		化成 化学工業 工業 産業 商会 商店 興業 興産 設計事務所 法律事務所 会計事務所 テクノロジーズ システムズ ソリューションズ コーポレーション フーズ エンジニアリング コンサルティング`)
	// noTrades are words that make a common noun of such an ending.
	noTrades = words(`取引 メイン 引落 引き落とし 振込 指定 地方 都市 中央 投資 信託 大手 総合 自然 再生可能 原子力 火力 水力 太陽光 風力 格安 国際 民間 地下 私有 高速 製造 重化学 軽
		農 林 鉱 商 手 工 第一次 第二次 第三次
		基幹 主要 地場 観光 情報 成長 先端 伝統 建設 土木 機械 電気 電子 食品 化学 自動車 繊維 金属 精密 窯 新 電動 電気 中古 軽 普通 大型 小型 貨物 乗用 路面 都市 大 小 個人 道路 橋梁 住宅
		ダム 賃貸 投資用 東証 有価 学術 模型 日本 世界 地元 近所 老舗 ネット カラー オフセット 両面 白黒 血液 骨髄 データ 人材 遺伝子 種子 サービス 石油 鉄鋼 造船 航空 宇宙 繊維 アパレル IT 外食
		観光 音楽 映像 酒 駅前 この その あの 有名 知り合い 友人 マイ 他社 自社 各社 同業 大手 中小 法律 相談 国内 海外 外資系 邦銀`)
	// beforeName are words that come before the name of a company or a school but are not
	// part of it.
	beforeName = words(`昨日 今日 明日 先日 一昨日 来週 先週 今週 来月 先月 今月 来年 去年 昨年 今年 今朝 昨夜 昨晩 現在 以前 当時 元 前 現 旧 新 弊社 当社 御社 貴社 自社 他社
		取引先 勤務先 就職先 転職先 勤め先 内定先 大手 老舗 某 私立 国立 公立 地元 母校 同じ 有名 名門 志望校 第一志望 第二志望 出身 出身校 進学先 在学 通学先 息子 娘 弟 妹 兄 姉 父 母 彼 彼女
		私 僕 俺 夫 妻 本日 毎日 親会社 子会社 関連会社 得意先 仕入先 発注元 主催 共催 後援 協賛 卒業 今回 次回 毎年 例 例えば 今 昔 大 小 隣 全国 近所 近隣 各 同 約 主 一方 担当 運営 販売元
		製造元 発売元 事業主 主人 友人 友達 同僚 同級生 先輩 後輩 春 夏 秋 冬 明治時代 午前 午後 朝 昼 夜`)
	// afterName are words that follow a legal form but are not a name.
	afterName = words(`代表取締役 代表取締役社長 取締役 代表 社長 会長 専務 常務 部長 課長 係長 主任 営業部 営業 人事部 総務部 経理部 開発部 技術部 企画部 本社 支社 支店 御中 様 殿 宛
		宛て 勤務 所属 出身 入社 退社 退職 転職 就職 在籍 設立 社員 担当 化 法 制度 形態 組織 経営 運営 名義 等 などの 向け 側 員 内 外 間 全体 同士 各位 東京 大阪 創業 製 社 役員 倒産 買収
		上場 全般 以外 以上 以下 一覧 登記 解散 方 並 方式 と 株主 案内 会社案内`)
	// noNames are words that do not name a company before or after a legal form.
	noNames = words(`このたび この度 きのう あした いつも いつもの たしか やっと もともと わたし うち いま ここ そこ あそこ これ それ あれ まだ もう また さっき さきほど せんじつ はじめ
		はじめて
		むかし いつか おそらく たぶん やはり やっぱり ちなみに なお たとえば もし あと ほか ほかに おなじ ちょうど きっと まず つぎ つぎに とりあえず おかげさまで ようやく いわば つまり すでに
		あるいは または および ならびに かつ かつて ずっと しばらく どこか だれか なにか おい ねえ ほら あの さて では なので だから でも しかし の な この その あの どの ある いる する した
		という ような みたいな 大きな 小さな 普通の 非 準 新しい 古い いい 良い 同じ 別の は が を に で も と や へ から
		まで より など って です ます でも なら いわゆる 多くの 当該 各 同 全 我が うちの 地元の 有名な 上場 未上場 非上場 元 前 ただの 特例 特定目的 準備中の 持分 持株`)
)

const longestName = 20 // runes of the name of a company or a school

// company proposes the company that a legal form belongs to, and returns the end
// of what it read.
func (s *search) company(i, end int) int {
	if s.is(i) == katakana { // as banks write transfers: カ)ヤマシタ
		if s.at(i-1) == '(' || s.is(i-1) == katakana || s.run(end, 3, set(katakana)) < end+3 {
			return end
		}
		j := s.run(end, longestName, set(katakana))
		s.propose(Company, "legal form before", i, j)
		return j
	}
	if start := s.nameBefore(i); start < i {
		s.propose(Company, "legal form behind", start, end)
		return end
	}
	if j := s.nameBehind(end); j > end {
		s.propose(Company, "legal form before", i, j)
		return j
	}
	return end
}

var nameClasses = set(kanji, katakana, upper, lower, digit)

// nameBefore returns the start of a name that ends at an index; the index if there is
// none.
func (s *search) nameBefore(i int) int {
	k := i
	if s.is(k-1) == space && s.latin(k-2) {
		k-- // Blue Leaf 株式会社
	}
	start := s.backName(k)
	if start == k {
		return i
	}
	start = s.trimFront(start, k)
	if start >= k || noNames.exactly(s.folded, start, k) || beforeName.exactly(s.folded, start, k) ||
		s.allHiragana(start, k) && k-start < 2 || s.allDigits(start, k) {
		return i
	}
	return start
}

// backName goes back over the letters of a name.
func (s *search) backName(k int) int {
	start := s.back(k, longestName, nameClasses)
	for s.at(start-1) == '・' || s.at(start-1) == '&' || s.at(start-1) == '-' && s.word(start) && s.word(start-2) {
		next := s.back(start-1, longestName, nameClasses)
		if next == start-1 || k-next > longestName+8 {
			break
		}
		start = next
	}
	// Words in Latin letters may be several.
	for s.latin(start) && s.is(start-1) == space && s.latin(start-2) {
		next := s.back(start-1, longestName, set(upper, lower, digit))
		if s.is(next) != upper || k-next > longestName+8 {
			break
		}
		start = next
	}
	// Kana may begin a name after a particle.
	if start == k || s.is(start-1) == hiragana {
		if h := s.kanaStart(start, k); h < start {
			start = h
		}
	}
	return start
}

// kanaStart returns the start of the hiragana that begin a name: those after a particle,
// a sign or a space.
func (s *search) kanaStart(i, k int) int {
	h := s.back(i, 8, set(hiragana))
	if h == i || i-h >= 8 {
		return i
	}
	if c := s.is(h - 1); c == kanji || c == katakana || c == upper || c == lower || c == digit {
		// A word comes before, so the first kana is its particle.
		p := h
		for _, w := range [...]string{"から", "では", "には", "とは", "より", "まで"} {
			if s.has(h, w) {
				p = h + 2
			}
		}
		if p == h {
			if particle(s.r[h]) {
				p = h + 1
			} else {
				return i
			}
		}
		h = p
	}
	if mark, ok := s.listed.japanese.marked(s.folded, h, i); ok && mark&(surname|given) != 0 && i-h > 2 &&
		s.r[i-1] != 'の' {
		return h
	}
	if i-h < 2 || noNames.exactly(s.folded, h, i) || s.verbal(h, i) && !s.namedOf(h, i, k) {
		return i
	}
	return h
}

// namedOf reports whether kana that end in の and the kanji after them are all of a name: ねこの手合同会社, but not
// うちの株式会社.
func (s *search) namedOf(h, i, k int) bool {
	if s.r[i-1] != 'の' || i-h < 3 || i == k || s.japanese(h-1) || behindNo.exactly(s.folded, h, i-1) ||
		noNames.exactly(s.folded, h, i-1) || particle(s.r[h]) || pointing.exactly(s.folded, h, i-1) {
		return false
	}
	e, _ := thingsOfNames.at(s.folded, i)
	return e == k
}

// pointing are words before の that say which one, rather than begin a name.
var pointing = words(`わたし あなた ぼく おれ うち むこう いつも さっき このまえ あたらしい かれ かのじょ みんな だれか となり むかし さいきん きのう きょう あした
	ともだち じもと いま いなか ほんとう ふつう`)

// verbal reports whether kana are the end of a verb or a phrase, not a name.
func (s *search) verbal(i, j int) bool {
	switch s.r[j-1] {
	case 'の', 'を', 'に', 'が', 'は', 'で', 'と', 'た', 'る', 'い', 'く', 'て', 'も', 'な', 'う', 'へ', 'や', 'ん':
		// まる ends names too.
		return s.r[j-1] != 'る' || j-i < 3 || particle(s.r[i])
	}
	return false
}

// particle reports whether a kana links words.
func particle(r rune) bool {
	switch r {
	case 'は', 'が', 'を', 'に', 'で', 'と', 'も', 'の', 'へ', 'や':
		return true
	}
	return false
}

// trimFront removes words from the front of a name that are not part of it.
func (s *search) trimFront(i, j int) int {
	for {
		end, _ := beforeName.at(s.folded, i)
		if end < 0 || end >= j {
			// 2023年 and the like
			if d := s.run(i, 4, set(digit)); d > i && d < j && (s.at(d) == '年' || s.at(d) == '月' || s.at(d) == '日' ||
				s.at(d) == '時') {
				i = d + 1
				continue
			}
			return i
		}
		if j-end < 1 || s.japanese(end-1) && end-i == 1 && !loneBefore(s.r[i]) {
			return i
		}
		if end-i == 1 && s.class[i] == kanji && j-i <= 3 {
			return i // 大和, 小松, 前田
		}
		i = end
	}
}

// loneBefore reports whether a one-letter word rarely begins a name.
func loneBefore(r rune) bool {
	switch r {
	case '元', '某', '私', '僕', '俺', '彼', '同', '各':
		return true
	}
	return false
}

func (s *search) allHiragana(i, j int) bool { return s.run(i, j-i, set(hiragana)) == j }
func (s *search) allDigits(i, j int) bool   { return s.run(i, j-i, set(digit)) == j }

// nameBehind returns the end of a name that begins after a legal form; the index if there
// is none.
func (s *search) nameBehind(i int) int {
	k := s.run(i, 1, set(space))
	if k > i && !(s.latin(k) || s.class[k-1] == space && (s.is(k) == kanji || s.is(k) == katakana)) {
		return i
	}
	j := s.run(k, longestName, nameClasses)
	if j == k && s.is(k) == hiragana {
		if j = s.kanaName(k); j == k {
			return i
		}
		if s.is(j) != hiragana {
			j = s.run(j, longestName, nameClasses)
		}
	} else {
		j = s.moreName(k, j)
	}
	first := k
	if s.is(k) == hiragana {
		first++ // it is no particle: kanaName has seen to that
	}
	for e := first; e < j; e++ {
		if w, _ := afterName.at(s.folded, e); w > 0 && w <= j && (e > k+1 || e == k) && !(e > k && w-e == 1 && w < j) {
			j = e
			break
		}
	}
	j = s.namedAfter(i, k, j)
	if j == k || noNames.exactly(s.folded, k, j) || j-k == 1 && s.class[k] == kanji || s.allDigits(k, j) {
		return i
	}
	return j
}

// namedAfter continues over の in the name of an association: NPO法人みんなの食卓, but not さくらの理事.
func (s *search) namedAfter(form, k, j int) int {
	if st, _ := associations.before(s.folded, form); st < 0 || j == k || s.at(j) != 'の' || s.role(j+1) {
		return j
	}
	if e, _ := ofAssociations.at(s.folded, j+1); e > 0 {
		return j
	}
	if end := s.run(j+1, 8, set(kanji, katakana)); end-j > 2 {
		return end
	}
	return j
}

// associations name themselves in whole phrases; ofAssociations are what others say of them.
var (
	associations   = words(`NPO法人 特定非営利活動法人 一般社団法人 一般財団法人 公益社団法人 公益財団法人 社会福祉法人`)
	ofAssociations = words(`理事 理事長 事務局 事務所 職員 会員 会費 活動 活動報告 スタッフ 担当 代表 方 人 件 設立 総会 寄付 寄附 支援 住所 電話 名前 サイト ホームページ
		ボランティア メンバー イベント セミナー 会計 決算 監事 施設 利用者 会報`)
)

// moreName continues over marks and words within a name.
func (s *search) moreName(k, j int) int {
	for j < k+longestName+10 {
		switch {
		case s.at(j) == '\'' && s.latin(j-1) && s.is(j+1) == lower && !s.word(j+2):
			j += 2 // K's Lab
		case (s.at(j) == '・' || s.at(j) == '&' || s.at(j) == '.' || s.at(j) == '-') && nameClasses.has(s.is(j+1)) &&
			s.is(j+1) != digit:
			j = s.run(j+1, longestName, nameClasses)
		case s.is(j) == space && s.latin(j-1) && s.is(j+1) == upper:
			j = s.run(j+1, longestName, set(upper, lower, digit))
		default:
			return j
		}
	}
	return j
}

// kanaName returns the end of a name in hiragana after a legal form: up to a particle
// that is not its first letter.
func (s *search) kanaName(i int) int {
	run := s.run(i, 9, set(hiragana))
	if run-i >= 9 || s.links(i, run) {
		return i
	}
	if e, mark := s.listed.japanese.at(s.folded, i); e > i+2 && e <= run && mark&surname != 0 && s.is(e) != hiragana {
		return e // たかはし, with a particle's letter inside
	}
	end := run
	first := i + 2
	if particle(s.r[i]) {
		first++
	}
	if s.has(i, "こども") || s.has(i, "ともに") {
		first++
	}
	for j := first; j < run; j++ {
		if s.r[j] == 'の' && s.kanaContinues(j+1, run) {
			j++
			continue
		}
		if e := s.thingOf(j); e > 0 {
			return e
		}
		if particle(s.r[j]) || s.has(j, "です") || s.has(j, "から") || s.has(j, "さん") || s.has(j, "より") || s.has(j, "まで") {
			end = j
			break
		}
	}
	if end-i < 2 || s.at(i) == 'は' && !s.has(i, "はて") && !s.has(i, "はな") && !s.has(i, "はる") && !s.has(i, "はま") {
		return i
	}
	return end
}

// links reports whether kana after a legal form go on with the sentence. Some particles begin words too: a name
// begins with one if the kana are all of a word, as in やまびこ.
func (s *search) links(i, run int) bool {
	for _, w := range [...]string{"って", "という", "といっ", "です", "でも", "では", "じゃ", "だ", "を", "が", "の", "から", "まで", "など",
		"へ", "なの", "なら", "には", "とは", "より", "ほど", "くらい"} {
		if s.has(i, w) {
			return true
		}
	}
	switch s.r[i] {
	case 'や', 'と', 'も', 'に', 'で':
		e, _ := linking.at(s.folded, i)
		word, _ := noNames.at(s.folded, i)
		return e > 0 || word > i+1 || run-i < 3 || s.is(run) == katakana || s.inflected(i, run) && s.r[run-1] != 'ん'
	}
	return false
}

// linking begin with a particle that follows a noun, rather than with the first letter of a name.
var linking = words(`やその やほか やら やあ やこ やほ とい とし との とか とも とな とち とおな とくら ときょ といっしょ ともに とあ とこ とそ とど とわ もあ もい もな もし もう
	もお もち もこ もそ もま にす にし にな につ には にも にお にあ にい によ にて にこ にそ にど にわ にほか です でも では でき であ でい でお でこ でそ でな`)

// thingOf returns the end of the kanji after の that is the last word of a name, as in ねこの手 and さくらの里. It is 0
// where the kanji are something or somebody of the firm: さくらの社長, さくらの森です.
func (s *search) thingOf(j int) int {
	if s.at(j) != 'の' || s.is(j+1) != kanji {
		return 0
	}
	end := s.run(j+1, 4, set(kanji))
	e, _ := thingsOfNames.before(s.folded, end)
	if !s.boundary(end) || e < 0 || e > j+1 && end-j > 3 || ofFirms.exactly(s.folded, j+1, end) {
		return 0
	}
	if h, _ := honorifics.at(s.folded, end); h > 0 {
		return 0
	}
	if presents.startsAt(s.folded, end) && s.family(j+1, end) {
		return 0
	}
	return end
}

// thingsOfNames are what firms call themselves after: things, animals and places, rather than what a firm has.
var thingsOfNames = words(`手 里 森 家 風 丘 杜 木 実 花 空 海 星 月 光 虹 樹 園 庭 郷 泉 湯 宿 道 輪 和 種 根 羽 翼 窓 扉 鐘 音 詩 歌 夢 国 街 町 村 島 谷 山 湖
	水 雪 雨 雲 陽 太陽 朝 夜 葉 草 土 石 火 灯 鈴 絆 心 恵 幸 箱 蔵 館 城 宮 台 浜 渚 波 船 舟 港 糸 布 衣 食卓 台所 学校 教室 工房 農園 牧場 仲間 友 会 子 猫 犬 鳥 魚 馬 牛 羊
	兎 熊 狐 狸 亀 鶴 蝶 蛍 蜂 桜 梅 桃 杉 松 竹 楓 林 畑 野 原 川 池 滝 橋 門 塔 森林 大地
		大空 青空 夜空 未来 時間 食堂 茶屋 小屋 部屋 広場 小道 小径 音楽 物語 魔法 宝 宝箱 鍵 傘 靴 鞄 本棚
	椅子 机 器 皿 豆 米 麦 卵 塩 蜜 茶 酒`)

// ofFirms are such words that others use of a firm.
var ofFirms = words(`子会社 茶 酒 時間 門 道 川 橋 鍵 鞄`)

// kanaContinues reports whether kana after の still belong to a name, as in ねこのて: a particle
// follows them, and they are no word of the sentence.
func (s *search) kanaContinues(i, run int) bool {
	if e, _ := behindNo.at(s.folded, i); e > 0 || i >= run || particle(s.r[i]) {
		return false
	}
	for j := i + 1; j <= min(i+3, run); j++ {
		if s.is(j) != hiragana || particle(s.r[j]) || s.has(j, "です") || s.has(j, "から") || s.has(j, "さん") {
			return true
		}
	}
	return false
}

// behindNo are words in kana that follow の after any name.
var behindNo = words(`こと もの ほう ところ ため よう とき ひと かた あと まえ なか うち そば となり ように ために ほか そと わけ はず つもり まま みなさん みんな です でしょ だ か
		よ ね さ
	うえ した`)

// schoolWords end the names of schools. A marked one also ends other words, and
// needs a longer name before it.
var schoolWords = words(`インターナショナルスクール 大学 大学院 大学院大学 高校 高等学校 高等専門学校 高専 中学校 小学校 中学 幼稚園 保育園 保育所 こども園 専門学校 短期大学 短大 女子大学
		女子大 女子高 女子高校
	女子高等学校 学園 学院 中等教育学校 特別支援学校 支援学校 義務教育学校 商業高校 工業高校 農業高校 予備校 予備学校 カレッジ 大学校 専修学校 小中学校 中高一貫校 附属高校 附属中学校 附属小学校 付属高校
		付属中学校 付属小学校
	女学院 認定こども園 外国語大学 工業大学 医科大学 薬科大学 女子短期大学 教育大学 経済大学 体育大学 芸術大学 音楽大学 美術大学 農業大学 商科大学 歯科大学 看護大学 福祉大学 国際大学 学院大学 学園大学`).
	also(1, `学園 学院`)

// noSchools are words that do not make a name before such an ending.
var noSchools = words(`綜合 国立 公立 私立 県立 都立 府立 道立 市立 区立 町立 村立 女子 男子 総合 単科 有名 志望 出身 進学 地元 母校 名門 難関 一流 三流 同じ 別 他 全 各 同 某
		短期 専門
	通信制 定時制 全日制 夜間 海外 外国 医科 工業 商業 農業 普通科 公立の 近所 近く 附属 付属 系列 田舎 都会 最寄り 併願 本命 中高一貫 男女共学 女 小 中 高 新設 志望する 希望 卒業 在学 入学 外国語
	医療系 理系 文系 地方 四年制 4年制 2年制 六年制 農業 認可 無認可 公設 民間 自動車 料理 美容 看護 語学 体育 芸術 音楽 美術 教育 経済 薬科 歯科 福祉 国際 私 僕 俺 彼 彼女 子供 息子 娘 本 当
	いい 良い 旧帝国 旧帝 帝国 オンライン 放課後 開放 市民 全国 自分 大学附属 企業主導型 病児 夏期 サイバー 一貫 魔法 架空 ホグワーツ魔法 理想 私学 帝 駅弁 マンモス Fラン 元 同校 隣 今 昔 受験 併設
	分校 母校の`)

// wholeSchools have names that look like a kind of school.
var wholeSchools = words(`国立音楽大学 東京外国語大学 東京医科大学 東京歯科大学 東京農業大学 東京芸術大学 東京藝術大学 東京音楽大学 東京経済大学 日本体育大学 日本女子大学 日本医科大学 日本歯科大学
	帝京大学 女子美術大学 女子栄養大学 星薬科大学 放送大学 防衛大学校`)

// founders are kinds of founders that belong to the name after them.
var founders = words(`県立 都立 府立 道立 市立 区立 町立 村立 組合立`)

// school proposes the school whose name ends with a word, and returns the end of
// what it read.
func (s *search) school(i, end int, mark uint32) int {
	start := s.backSchool(i)
	// 東京大学大学院, 早稲田大学高等学院: the name goes on.
	for {
		next, m := schoolWords.at(s.folded, end)
		if next < 0 || next == end {
			break
		}
		end, mark = next, m
	}
	if e := s.partOfSchool(end); e > 0 {
		end = e
	}
	if start == i {
		// 専門学校日本デザイナー学院, 学校法人: the word may begin the name.
		if j := s.run(end, longestName, set(kanji, katakana)); j-end >= 3 {
			if e, _ := schoolWords.before(s.folded, j); e > end {
				s.propose(School, "head noun", i, j)
				return j
			}
		}
		return end
	}
	if e, _ := wholeSchools.at(s.folded, start); e != end {
		start = s.trimFront(start, i)
	} else {
		s.propose(School, "head noun", start, end)
		return end
	}
	if e, _ := founders.at(s.folded, start); e > 0 && e < i {
		if noSchools.exactly(s.folded, e, i) && !s.has(e, "国際") {
			return end
		}
	} else if start >= i || noSchools.exactly(s.folded, start, i) || s.counting(start, i) {
		return end
	}
	if mark == 1 && i-start < 2 || s.allHiragana(start, i) && i-start < 2 || i-start == 1 && s.class[start] != kanji &&
		!s.latin(start) {
		return end
	}
	if s.at(end) == '生' && s.at(end-1) == '学' && s.at(end-2) == '中' {
		return end // 中学生
	}
	s.propose(School, "head noun", start, end)
	return end
}

// counting reports whether a word such as 3つの or 二 is a count, not a name.
func (s *search) counting(i, j int) bool {
	for ; i < j; i++ {
		if !s.numeral(i) && s.at(i) != '十' {
			return false
		}
	}
	return true
}

// partOfSchool returns the end of an attached school after the name of its parent:
// 筑波大学附属高校. 0 if none follows.
func (s *search) partOfSchool(end int) int {
	if e, _ := divisions.at(s.folded, end); e > 0 {
		return e
	}
	if !s.has(end, "附属") && !s.has(end, "付属") {
		return 0
	}
	for j := end + 2; j < end+10; j++ {
		if e, _ := schoolWords.at(s.folded, j); e > 0 {
			return e
		}
		if s.is(j) != kanji {
			return 0
		}
	}
	return 0
}

// hillWords follow が within the name of a quarter.
var hillWords = words(`丘 台 浜 谷 原 岡 野 峰 崎 池 森 里 岳 瀬 島 沢 水 杜 宮 内`)

// divisions are parts of a school that follow its name.
var divisions = words(`高等部 中等部 初等部 幼稚部 幼稚舎 小学部 中学部 大学部`)

// backSchool goes back over the letters of a school's name. It stops at a verb in kana,
// such as the start of a sentence 昨日行った.
func (s *search) backSchool(i int) int {
	start := s.back(i, longestName, set(kanji, katakana, upper, lower))
	if s.at(start-1) == '・' && s.is(start-2) == katakana {
		start = s.back(start-1, longestName, set(katakana))
	}
	// 緑が丘, 希望ヶ丘: the words before a hill, a valley and the like belong to its name.
	if s.at(start-1) == 'が' && s.is(start-2) == kanji && hillWords.startsAt(s.folded, start) {
		return s.back(start-1, 4, set(kanji))
	}
	// お茶の水女子大学: の between kanji of a known name.
	for _, n := range [...]string{"お茶の水", "虎ノ門", "丸の内", "桜の聖母", "四天王寺", "自由の森", "緑ヶ丘", "自由が丘", "つくば", "ひばりが丘", "希望が丘",
		"光が丘", "旭ヶ丘", "美しが丘", "さいたま"} {
		for k := start; k >= max(0, start-6); k-- {
			if s.has(k, n) && k+len([]rune(n)) >= start {
				return k
			}
		}
	}
	if s.is(start-1) == hiragana {
		if h := s.kanaStart(start, i); h < start {
			// Kana before kanji are a name only when nothing else can be meant.
			if start == i || s.class[start] == katakana {
				return h
			}
		}
	}
	return start
}

// trade proposes a company that leaves out its legal form: 三菱商事.
func (s *search) trade(i, end int) {
	start := s.back(i, longestName, set(kanji, katakana, upper, lower))
	if s.is(start) == lower {
		return
	}
	if start == i && s.is(i-1) == hiragana {
		if h := s.kanaStart(i, i); i-h >= 2 && i-h <= 5 {
			start = h
		}
	}
	if start == i {
		return
	}
	start = s.trimFront(start, i)
	if i-start < 2 || noTrades.exactly(s.folded, start, i) {
		return
	}
	if n, _ := noTrades.before(s.folded, i); n >= start && n == start {
		return
	}
	if c := s.is(end); c == kanji && !s.role(end) && !s.branch(end) || c == katakana && s.class[end-1] == katakana {
		return // 銀行口座, 自動車教習所
	}
	if s.generic(start, i) {
		return
	}
	s.propose(Company, "trade", start, end)
}

// branch reports whether a name is a branch's: 新宿支店.
func (s *search) branch(i int) bool {
	j := s.run(i, 8, set(kanji, katakana))
	if s.at(j) == 'の' && !s.ends(j, "店") && !s.ends(j, "部") && !s.ends(j, "所") {
		j = s.run(j+1, 8, set(kanji, katakana)) // 丸の内支店
	}
	return s.ends(j, "支店") || s.ends(j, "本店") || s.ends(j, "営業部") || s.ends(j, "出張所")
}

// generic reports whether a name consists only of words for trades.
func (s *search) generic(i, j int) bool {
	for k := i; k < j; {
		e, _ := noTrades.at(s.folded, k)
		if e < 0 {
			e, _ = trades.at(s.folded, k)
		}
		if e < 0 || e > j || e-k == 1 {
			return false
		}
		k = e
	}
	return true
}

// role reports whether a word is a person's role in a company.
func (s *search) role(i int) bool {
	e, _ := afterName.at(s.folded, i)
	return e > 0
}

// Words around an employer's name.
var (
	workplaces = words(`勤務先 勤め先 会社名 社名 就職先 転職先 内定先 前職 現職 勤務先名 職場 御社名 貴社名 所属先 法人名 団体名`)
	worksAt    = words(`に勤め に勤務 に入社 に転職 に就職 に内定 で働 を退職 を辞め 勤務の に入った の社員`)
	// workplacesOfMany are workplaces that are not names.
	workplacesOfMany = words(`コンビニ スーパー レストラン カフェ パート アルバイト バイト メーカー ホテル ファミレス ドラッグストア デパート ガソリンスタンド スタジオ オフィス ビル センター
		ショップ アパレル サービス コールセンター リモート フリー フルタイム シフト チーム グループ ベンチャー スタートアップ コンサル システム サロン クリニック ジム バー パブ クラブ キッチン ラボ
		テレワーク ブラック ホワイト フレックス アメリカ イギリス フランス ドイツ カナダ イタリア スペイン ロンドン パリ ニューヨーク シンガポール タイ ベトナム インド オーストラリア プログラマー エンジニア
		デザイナー スタッフ トップ チェーン ファストフード ケーキ パン エステ ネイル ペンション リゾート マスコミ テレビ`)
)

// employed proposes an employer: after a label, or before に勤めて.
func (s *search) employed(i int) {
	if end, _ := worksAt.at(s.folded, i); end > 0 && s.is(i-1) == katakana {
		start := s.back(i, longestName, set(katakana, upper, lower))
		if i-start >= 3 && s.is(start-1) != kanji && !workplacesOfMany.exactly(s.folded, start, i) &&
			s.inHiragana(start, i)&surname == 0 && s.at(start-1) != '・' {
			s.propose(Company, "employer", start, i)
		}
	}
	end, _ := workplaces.at(s.folded, i)
	if end < 0 || s.at(end) != 'は' && s.at(end) != ':' {
		return
	}
	k := s.run(end+1, 1, set(space))
	j := s.moreName(k, s.run(k, longestName, nameClasses))
	if j-k < 2 || workplacesOfMany.exactly(s.folded, k, j) || s.is(k) == digit || s.allDigits(k, j) {
		return
	}
	if s.at(end) == 'は' && (s.run(k, j-k, set(kanji)) == j || s.is(j) == hiragana && !s.has(j, "です") && !s.has(j,
		"でした") && !s.has(j, "という")) {
		return // 勤務先は東京です
	}
	s.propose(Company, "label", k, j)
}
