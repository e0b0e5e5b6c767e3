package pii

import "strings"

// oneKanji reports whether the one kanji before an index is a Chinese or Korean surname, given the honorific, or
// the phrase of an introduction, that begins at another: 王さん, 孫社長, 梁と申します, but not お客さん, 王様, 元社長.
func (s *search) oneKanji(k, honour int) bool {
	i := k - 1
	if s.is(i) != kanji || s.is(i-1) == kanji || !oneKanjiSurnames.has(s.r[i]) || s.polite(i) {
		return false
	}
	r := s.r[i]
	if s.has(honour, "様") || s.has(honour, "さま") || s.has(honour, "ちゃま") || s.has(honour, "家") || s.has(honour, "たん") ||
		s.has(honour, "っち") || s.has(honour, "殿") {
		return r != '王' && s.lone(i)
	}
	if strings.ContainsRune(nounsBehind, r) && s.is(i-1) == hiragana && !joinsPeople(s.r[i-1]) {
		return false
	}
	switch {
	case s.has(honour, "氏"):
		return true
	case s.is(honour) == kanji: // a title, which words such as 元 and 全 go before
		return !strings.ContainsRune(beforeTitles, r) && !(r == '高' && s.has(honour, "校長"))
	}
	return !strings.ContainsRune(nouns, r)
}

// polite reports whether お and the like make the next word polite, which a surname is not.
func (s *search) polite(i int) bool {
	switch s.at(i - 1) {
	case 'お', 'ご', '御':
		return true
	}
	return false
}

// joinsPeople reports whether a particle may stand before a name that another kana would make a noun of.
func joinsPeople(r rune) bool {
	return r == 'と' || r == 'は' || r == 'も' || r == 'に' || r == 'や'
}

// Kanji of the surnames that are also words: those that stand before titles, those that other words with さん
// are, and those that a phrase may end with, as この方 does.
const (
	beforeTitles = `元全何万向千成余付史段両`
	nouns        = `何元熊牛全万千成付向`
	nounsBehind  = `方孫馬車池石金葉白高魚南文夏`
)

// oneKanjiSurnames are the frequent surnames of one kanji in China, Taiwan and Korea, in the forms that
// Japanese texts have, and the simplified ones.
var oneKanjiSurnames = letterSet(`王李張劉陳楊黄黃趙呉吳周徐孫馬朱胡郭何高林羅鄭梁謝宋唐許韓馮鄧曹彭曾肖蕭田董袁潘于蔣蔡余杜葉程蘇魏呂丁任沈
	姚盧姜崔鐘鍾譚陸汪范金石廖賈夏韋付方白鄒孟熊秦邱江尹薛閻閆段雷侯龍史陶黎賀顧毛郝龔邵万銭錢厳嚴覃武戴莫孔向湯朴申権權安柳洪全文裵裴南河千成車具禹
	閔辛池元廉卞玄卓魚温常康施牛樊葛邢齊齐翁喬倪梅章盛房聶柯童顔欧欒祁兪鞠桂馮孟卜甘焦左涂麦簡游詹巫連柴
	刘张陈赵杨吴孙马罗郑谢韩冯邓萧叶苏吕卢钟谭陆贾邹龙贺顾钱严汤蒋阎龚韦宁乔聂颜`)
