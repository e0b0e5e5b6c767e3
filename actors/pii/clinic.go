package pii

// clinics proposes hospitals and surgeries: 聖隷三方原病院, さとう歯科クリニック. Whoever goes there says
// something about their health, so they count as companies even without a legal form.
func (s *search) clinic(i, end int, mark uint32) {
	start := s.back(i, longestName, set(kanji, katakana, upper, lower))
	if s.is(start-1) == hiragana {
		start = s.kanaStart(start, i)
	}
	if i-start == 1 && s.at(start-1) == 'の' && s.is(start-2) == kanji {
		start = s.back(start-1, 3, set(kanji)) // 虎の門
	}
	start = s.trimFront(start, i)
	start = s.specialities(start, i)
	if start >= i || houses.inside(s.folded, start, i) ||
		s.is(end) == kanji && !s.role(end) && !s.branch(end) && !s.department(end) {
		return
	}
	if k, ok := s.listed.japanese.marked(s.folded, start, i); mark == ofDoctors && (!ok || k&surname == 0) {
		return
	}
	if kindsOfClinics.exactly(s.folded, start, i) || i-start < 2 || s.onlySpecialities(start, i) {
		return
	}
	s.propose(Company, "clinic", start, end)
}

// department reports whether a part of a hospital follows its name.
func (s *search) department(i int) bool {
	j := s.run(i, 8, set(kanji))
	return s.ends(j, "科") || s.ends(j, "部") || s.ends(j, "室") || s.ends(j, "前") || s.ends(j, "病棟")
}

// specialities removes words such as 近所の that come before a hospital's name.
func (s *search) specialities(i, k int) int {
	for i < k {
		e, _ := beforeClinics.at(s.folded, i)
		if e < 0 || e > k {
			break
		}
		i = e
	}
	return i
}

// onlySpecialities reports whether nothing but what a hospital does comes before its kind.
func (s *search) onlySpecialities(i, k int) bool {
	for i < k {
		e, _ := kindsOfClinics.at(s.folded, i)
		if e < 0 || e > k {
			return false
		}
		i = e
	}
	return true
}

// ofDoctors are fields of medicine that end the name of a surgery behind that of its doctor.
const ofDoctors uint32 = 1

var (
	// clinicWords end the names of hospitals and surgeries.
	clinicWords = words(`病院 クリニック 医院 診療所 歯科医院 歯科クリニック 療養所 産院 助産院 接骨院 整骨院 鍼灸院 調剤薬局 診療センター 医療センター
		健診センター`).also(ofDoctors, `内科 外科 小児科 眼科 歯科 皮膚科 耳鼻科 耳鼻咽喉科 整形外科 産婦人科 薬局`)
	// houses end a name, so that none of them stands within one.
	houses = words(`病院 クリニック 医院 診療所`)
	// kindsOfClinics make a common noun of such a word.
	kindsOfClinics = words(`総合 大学 動物 救急 精神 精神科 内科 外科 歯科 眼科 皮膚科 小児科 産婦人科 産科 婦人科 整形外科 耳鼻科 耳鼻咽喉科 泌尿器科 循環器科 循環器 消化器 呼吸器
		心療内科 脳神経外科 形成外科 美容 美容外科 矯正 審美 矯正歯科 リハビリ リハビリテーション 市民 市立 県立 都立 国立 公立 私立 町立 村立 府立 道立 救命 中央 地域 地方 一般 専門 個人 大
		がん 子ども こども 女性 レディース 夜間 休日 在宅 訪問 提携 協力 紹介 紹介先 指定 かかりつけ 転院先 搬送先 入院先 大型 中核 拠点 基幹 赤十字 付属 附属 野戦 陸軍 海軍 移動 巡回 海外
		国内 有名 最寄 最寄り 近所 近く 隣 町 村 街 駅前 系列 別 同 某 各 他 民間 都内 市内 県内 ペット 犬猫 人間 高度 救急救命 療養型 オンライン 企業 会社 発熱 禁煙 不妊 不妊治療 予防 ワクチン`)
	// beforeClinics come before the name of a hospital.
	beforeClinics = words(`近所 最寄 最寄り 隣町 地元 駅前 搬送先 入院先 転院先 紹介先`)
)

// englishClinics end the names of hospitals in English.
var englishClinics = words(`hospital medical_center medical_centre clinic health_center health_centre dental_clinic
		infirmary hospice
	memorial_hospital general_hospital children's_hospital dental_practice veterinary_clinic pharmacy nursing_home`)

// noEnglishClinics are capitalised words that do not make a name before such an ending.
var noEnglishClinics = words(`the a an my your our his her their this that state local public private same new old
		good best
	university memorial general children's medical dental veterinary eye skin heart mental pain family free national
		regional
	county city community emergency animal pet military army naval teaching every each which what no first second at
		in on of for
	to from and or nearest walk-in urgent outpatient women's fertility`)

// englishClinic proposes the hospital that a word ends, and returns the end of the proposal,
// 0 for none.
func (s *search) englishClinic(i, end int) int {
	if s.is(i-1) != space || s.class[i] != upper {
		return 0
	}
	start := s.capitalsBefore(i-1, 4)
	for start < i-1 {
		j := start
		for j < i-1 && s.class[j] != space {
			j++
		}
		if !beforeEnglishClinics.exactly(s.folded, start, j) {
			break
		}
		start = s.run(j, 2, set(space))
	}
	if start >= i-1 {
		return 0
	}
	named := false
	for k := start; k < i-1; {
		j := k
		for j < i-1 && s.class[j] != space {
			j++
		}
		named = named || !noEnglishClinics.exactly(s.folded, k, j)
		k = s.run(j, 2, set(space))
	}
	if !named {
		return 0
	}
	s.propose(Company, "clinic", start, end)
	return end
}

var beforeEnglishClinics = words(`the a an my your our his her their this that at in on of for to from and or i he
		she we they visit
	call see near dear hello hi nearby`)
