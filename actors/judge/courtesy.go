package judge

import (
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
)

// courtesies are words that want no answer, without white space, punctuation and case, the
// longest first.
var courtesies = longestFirst(`おはよう ございます おはよ こんにちは こんばんは おやすみ なさい またね また じゃあね じゃあ じゃ では
明日 あした 今度 来週 あとで 後で バイバイ ばいばい さようなら いってきます 行ってきます いってらっしゃい ただいま おかえり
ありがとう ありがと ございました どうも 本当に サンキュー 了解 りょうかい りょ 承知 わかりました わかった 分かりました 分かった
かしこまりました オッケー おっけー はい うん ええ そうですね そうだね なるほど お疲れさま お疲れ様 お疲れ よろしく お願いします
こちらこそ いえいえ いたしました しました です でした だよ ね よ ー 笑 w
good morning evening afternoon night hi hello hey thanks thankyou thx somuch verymuch alot
ok okay gotit sure alright allright fine great nice cool seeyou seeya later tomorrow soon then bye
takecare haveaniceday haveagoodday youtoo lol haha yes yeah yep and 👍 👌 🙏 🙇 😊 🙂 😂 🎉 ❤`)

func longestFirst(words string) []string {
	list := strings.Fields(words)
	slices.SortStableFunc(list, func(a, b string) int { return len(b) - len(a) })
	return list
}

// courtesy reports whether a text is only greetings, thanks or an OK.
func courtesy(s string) bool {
	s = strings.TrimRight(text.Compact(s), "\ufe0f🏻🏼🏽🏾🏿")
	for s != "" {
		i := slices.IndexFunc(courtesies, func(w string) bool { return strings.HasPrefix(s, w) })
		if i < 0 {
			return false
		}
		s = s[len(courtesies[i]):]
	}
	return true
}

// needless says why what was said last needs no fixed answer, "" if it does.
func needless(lines []messages.Said) messages.Text {
	at := len(lines)
	for at > 0 && !lines[at-1].Own {
		at--
	}
	said := lines[at:]
	switch {
	case len(said) == 0:
		return ""
	case !slices.ContainsFunc(said, func(l messages.Said) bool {
		return strings.ContainsAny(string(l.Text), "?？") || !courtesy(string(l.Text))
	}):
		return "a greeting, thanks or an OK wants no fixed answer"
	}
	return ""
}
