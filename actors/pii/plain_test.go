package pii

import "testing"

// Names, schools, firms and addresses that stand in plain text, and what looks like them.
func TestPlainText(t *testing.T) {
	for _, tt := range []struct{ what, text, want string }{
		{"a list", "出席：大塚、関根、東", "出席：[氏名]、[氏名]、[氏名]"},
		{"one a line", "中村\n浅尾\n上野", "[氏名]\n[氏名]\n[氏名]"},
		{"places in a list", "千葉、埼玉、神奈川", "千葉、埼玉、神奈川"},
		{"who writes", "お世話になっております、西です。本日の件", "お世話になっております、[氏名]です。本日の件"},
		{"who called", "上野から電話があった", "[氏名]から電話があった"},
		{"where somebody is", "品川です、今電車乗りました", "品川です、今電車乗りました"},
		{"whose", "弊社担当の鶴岡よりご連絡します", "弊社担当の[氏名]よりご連絡します"},
		{"katakana", "アルベルト・アインシュタインの本", "[氏名]の本"},
		{"things in katakana", "オープン・ソースとアイス・コーヒー", "オープン・ソースとアイス・コーヒー"},
		{"a space", "劉 建国様", "[氏名]様"},
		{"a quarter", "西日暮里で向日葵を見た", "西日暮里で向日葵を見た"},
		{"lower case", "kevin said he'd pick up maria at 8", "[氏名] said he'd pick up [氏名] at 8"},
		{"lower-case words", "i will grant you access, may i ask", "i will grant you access, may i ask"},
		{"family first", "Li Na beat them", "[氏名] beat them"},
		{"an initial", "Reviewed by M. Oyelaran", "Reviewed by [氏名]"},
		{"mail", "Ardo van Rangelrooij <a@example.org>", "[氏名] <[メールアドレス]>"},
		{"university", "東大と一橋大に受かった", "[学校名]と[学校名]に受かった"},
		{"high school", "日比谷高出身で第二小の5年生", "[学校名]出身で[学校名]の5年生"},
		{"words in 高 and 大", "最高の一日、残高が足りない、広大な土地", "最高の一日、残高が足りない、広大な土地"},
		{"hospital", "聖隷三方原病院に入院", "[会社名]に入院"},
		{"any hospital", "近所の総合病院へ行く", "近所の総合病院へ行く"},
		{"partners", "Rodriguez, Hill and Watts sent it", "[会社名] sent it"},
		{"whose firm", "Michael Johansson of Nordvik AS left", "[氏名] of [会社名] left"},
		{"adverb", "このたび株式会社グリーンを退職", "このたび[会社名]を退職"},
		{"Italian street", "Via Roma 25, 20121 Milano", "[住所]"},
		{"street in lower case", "send it to 742 birchwood lane, dayton, oh 45402", "send it to [住所]"},
		{"a drive", "it's a 20 min drive by 4 wheel drive", "it's a 20 min drive by 4 wheel drive"},
		{"another drive", "a 64 gb flash drive, 2 cd drive", "a 64 gb flash drive, 2 cd drive"},
		{"a way", "i walked 12 miles down the road", "i walked 12 miles down the road"},
		{"flat", "Flat 7, 32 Gloucester Road, London SW7 4RA", "[住所]"},
		{"ward", "札幌市立北九条小学校", "[学校名]"},
		{"chapter", "Chapter 10.2.3.1 covers it", "Chapter 10.2.3.1 covers it"},
		{"variable", "GITHUB_TOKEN=ghp_R7tYw2QmK9xLb4VnC1zHsD8fJ3gP6eAu5oXi", "GITHUB_TOKEN=[秘密情報]"},
		{"a password that is said", "パスワードはひみつ123です", "パスワードは[秘密情報]です"},
		{"a word that is said", "合言葉は「山と川」、暗証番号はたしか0831だよ", "合言葉は「[秘密情報]」、暗証番号はたしか[秘密情報]だよ"},
		{"an English word", "The wifi password is swordfish.", "The wifi password is [秘密情報]."},
		{"a short password", "pw: abc", "pw: [秘密情報]"},
		{"about passwords", "パスワードは必須です。パスワードは8文字以上です", "パスワードは必須です。パスワードは8文字以上です"},
		{"about one", "My password is incorrect", "My password is incorrect"},
		{"a key and its identifier", "AKIAQ4WERTYU7ASDFGH2 kTvLpQzRmXw/BdYhNcJsGfEuAoIiPlKqWrVtZyM3", "[秘密情報] [秘密情報]"},
		{"no key", "kTvLpQzRmXw/BdYhNcJsGfEuAoIiPlKqWrVtZyM3", "kTvLpQzRmXw/BdYhNcJsGfEuAoIiPlKqWrVtZyM3"},
		{"one kanji", "王さんと趙先生と孫社長", "[氏名]さんと[氏名]先生と[氏名]社長"},
		{"one kanji that is a word", "お客さんと奥さんと皆さんと神さまと王様と元社長とパン屋さん", "お客さんと奥さんと皆さんと神さまと王様と元社長とパン屋さん"},
		{"firms in kana", "合同会社ねこの手と有限会社やまびこ", "[会社名]と[会社名]"},
		{"kana before the form", "ねこの手合同会社", "[会社名]"},
		{"somebody of a firm", "株式会社さくらの森です。株式会社さくらの社長", "[会社名]の[氏名]です。[会社名]の社長"},
		{"number in brackets", "5362 9871 0423 (マイナンバー)", "[個人番号] (マイナンバー)"},
	} {
		if got := Mask(tt.text, Japanese); got.Text != tt.want || got.Err != nil {
			t.Errorf("%s: Mask(%q) = %q, %v, want %q", tt.what, tt.text, got.Text, got.Err, tt.want)
		}
	}
}
