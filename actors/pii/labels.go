package pii

import "github.com/kehai-run/kehai/actors/text"

// Labels are the words that replace what was masked, in one language.
type Labels struct{ words map[Kind]string }

// Japanese labels; interviews use them.
var Japanese = Labels{map[Kind]string{
	Name: "氏名", Phone: "電話番号", Email: "メールアドレス", Address: "住所", School: "学校名", Company: "会社名",
	National: "個人番号", Corporate: "法人番号", Card: "カード番号", Bank: "口座番号", Licence: "免許証番号",
	Passport: "旅券番号", Birth: "生年月日", Account: "アカウント", IP: "IPアドレス", Secret: "秘密情報",
	Literal: "文字列", Whole: "非公開",
}}

// English labels.
var English = Labels{map[Kind]string{
	Name: "name", Phone: "phone", Email: "email", Address: "address", School: "school", Company: "company",
	National: "national id", Corporate: "corporate number", Card: "card", Bank: "bank account",
	Licence: "driving licence", Passport: "passport", Birth: "birth date", Account: "account", IP: "ip address",
	Secret: "secret", Literal: "literal", Whole: "withheld",
}}

// LabelsFor are the labels in the language of a text; Japanese if it has none.
func LabelsFor(s string) Labels {
	if text.LanguageOf(s, text.Japanese) == text.English {
		return English
	}
	return Japanese
}

// Label is the label of a kind in brackets. An unknown kind has the label of a text that
// is masked as a whole.
func (l Labels) Label(k Kind) string { return "[" + l.word(k) + "]" }

// word is the label without brackets. The zero Labels are [Japanese].
func (l Labels) word(k Kind) string {
	if l.words == nil {
		l = Japanese
	}
	if w, ok := l.words[k]; ok {
		return w
	}
	return l.words[Whole]
}
