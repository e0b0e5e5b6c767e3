package pii

import (
	"slices"
	"strings"
)

// cue is what a word says about its neighbours.
type cue uint32

const (
	cuePhone cue = 1 << iota
	cueOrder     // a number of something, not of somebody
	cueVersion
	cueNational
	cueSSN
	cueCorporate
	cueCard
	cueBank
	cueLicence
	cuePassport
	cueBirth
	cueAccount
	cueHash
	cuePost
)

var cueWords = newCues(map[cue]string{
	cuePhone: `電話 電話番号 でんわ TEL 携帯 携帯番号 ケータイ けいたい スマホ 連絡先 FAX ファックス ファクス 内線 直通 代表 緊急連絡先 phone telephone tel mobile cell
		cellphone call dial text sms fax whatsapp reach ring hotline landline my_number_is contact_number 番号は 番号: お電話
		かけて TEL番号 ショートメール ホットライン`,
	cueOrder: `注文番号 注文 受注番号 伝票番号 伝票 追跡番号 お問い合わせ番号 問い合わせ番号 管理番号 会員番号 型番 品番 製造番号 シリアル シリアル番号 商品番号 予約番号 受付番号 整理券 図書番号
		社員番号 学籍番号 チケット番号 請求書番号 請求番号 案件番号 order tracking invoice serial sku part model isbn issn jan ean ticket
		confirmation reference ref item booking case lot batch product id タイムスタンプ timestamp 便名 文書番号 記事番号 ロット番号 お客様番号
		ISBN`,
	cueVersion: `chapter section clause article paragraph figure table appendix rule 第 章 節 条 version ver v バージョン
		release build リリース ビルド firmware ファームウェア`,
	cueNational: `マイナンバー マイナンバーカード 個人番号 my_number mynumber individual_number`,
	cueSSN:      `ssn social_security ss# ソーシャルセキュリティ`,
	cueCorporate: `法人番号 登録番号 適格請求書 インボイス番号 corporate_number registration_number
		インボイス登録番号`,
	cueCard: `カード番号 クレジットカード クレカ カード credit_card card card_number visa mastercard amex jcb デビット`,
	cueBank: `口座番号 口座 普 普通 当座 貯蓄 普通預金 当座預金 振込先 記号 番号 口座番号は ゆうちょ account_number account_no bank_account acct
		routing_number routing account account_#`,
	cueLicence: `免許証番号 免許証 運転免許 免許番号 免許 driving_licence driver's_license drivers_license driver_license
		driving_license licence_number license_number driver's_licence dl_number`,
	cuePassport: `パスポート 旅券 パスポート番号 旅券番号 passport passport_number passport_no`,
	cueBirth:    `生年月日 誕生日 生まれ たんじょうび バースデー お誕生日 born birthday birth_date date_of_birth dob birthdate d.o.b.`,
	cueAccount: `ID LINE_ID LINEID LINEのID ラインのID ラインID LINE ライン インスタ インスタグラム instagram insta twitter ツイッター x_account
		telegram テレグラム discord ディスコード skype スカイプ カカオ kakaotalk kakao wechat ユーザー名 ユーザ名 ユーザーID ユーザID アカウント アカウント名
		ハンドルネーム username user_name handle tiktok threads mastodon github snapchat facebook フェイスブック ログインID login_id
		user_id line_id signal follow_me フォロー`,
	cueHash: `commit sha sha1 sha256 sha-256 md5 checksum digest hash revision rev コミット ハッシュ チェックサム etag fingerprint
		uuid guid`,
	cuePost: `郵便番号 〒 zip zip_code postal_code postcode`,
})

func newCues(lists map[cue]string) *lexicon {
	marks := map[string]cue{}
	for c, list := range lists {
		for _, w := range strings.Fields(list) {
			marks[strings.ReplaceAll(strings.ToLower(w), "_", " ")] |= c
		}
	}
	l := newLexicon()
	keys := make([]string, 0, len(marks))
	for w := range marks {
		keys = append(keys, w)
	}
	slices.Sort(keys)
	for _, w := range keys {
		l.add(w, uint32(marks[w]))
	}
	return l
}

// cues are the places of such words in a text, in order.
type cues []placed

type placed struct {
	i, j int
	mark cue
}

func findCues(f *folded, list cues) cues {
	for i := 0; i < len(f.r); i++ {
		if f.starts[i]&startsCue == 0 || f.class[i] <= digit && f.class[i] != other {
			continue
		}
		if end, mark := cueWords.at(f, i); end >= 0 {
			list = append(list, placed{i, end, cue(mark)})
			i = end - 1
		}
	}
	return list
}

// before reports whether a word of a cue ends at most reach runes before an index, on the
// same line or the one before.
func (s *search) before(c cue, i, reach int) bool {
	n, end := 0, len(s.cues)
	for n < end { // by hand, because this is asked many times for each number
		if m := (n + end) / 2; s.cues[m].j <= i {
			n = m + 1
		} else {
			end = m
		}
	}
	for n--; n >= 0 && s.cues[n].j >= i-reach; n-- {
		if s.cues[n].mark&c != 0 {
			return true
		}
	}
	return false
}
