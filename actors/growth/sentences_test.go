package growth_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/messages"
)

//go:embed testdata/sentences.txt
var sentences string

// TestSentences measures how often the rules are right about single sentences of both
// languages, most of which only sound like a task, a fact or a preference.
func TestSentences(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, tokyo)
	type score struct{ said, right, wanted int }
	scores := map[memory.Kind]*score{memory.Task: {}, memory.Fact: {}, memory.Relation: {}, memory.Preference: {}}
	n := 0
	for line := range strings.Lines(sentences) {
		wanted, says, ok := strings.Cut(strings.TrimSpace(line), " | ")
		if !ok {
			continue
		}
		n++
		var got []string
		e := messages.Event{ID: "m", Speaker: "Hana", At: at, Text: messages.Text(says)}
		for _, l := range growth.Learn(e, func() []memory.Topic { return nil }) {
			what := map[memory.Op]string{memory.Likes: "like", memory.Dislikes: "dislike",
				memory.Ends: "ends", memory.Holds: string(l.Claim.Body)}[l.Claim.Op]
			one := fmt.Sprint(l.Kind, " ", string(l.Name), " ", what)
			if l.Kind == memory.Task {
				one = string(l.Kind)
			}
			if got = append(got, one); scores[l.Kind] != nil {
				scores[l.Kind].said++
			}
		}
		if wanted != "-" {
			kind, _, _ := strings.Cut(wanted, " ")
			scores[memory.Kind(kind)].wanted++
			if slices.Contains(got, wanted) {
				scores[memory.Kind(kind)].right++
			}
		}
		if len(got) != 1 || got[0] != wanted {
			if wanted != "-" || len(got) > 0 {
				t.Logf("%s: learned %q, want %s", says, got, wanted)
			}
		}
	}
	if n < 200 {
		t.Errorf("there are %d sentences, want 200", n)
	}
	for kind, s := range scores {
		precision, found := float64(s.right)/float64(s.said), float64(s.right)/float64(s.wanted)
		t.Logf("%s: %d of %d right (%.2f), %.2f of %d found", kind, s.right, s.said, precision, found, s.wanted)
		if precision < 0.95 || found < 0.9 {
			t.Errorf("%s: precision %.2f, found %.2f, want .95 and .90", kind, precision, found)
		}
	}
}

// TestLeanings: what somebody would rather have is a preference though it sounds like doubt, and what is
// denied or said by another is nothing.
func TestLeanings(t *testing.T) {
	at := time.Date(2026, 3, 2, 9, 0, 0, 0, tokyo)
	for _, c := range []struct{ says, want string }{
		{"やっぱりコーヒーより緑茶かな", "緑茶 likes, コーヒー ends"},
		{"コーヒーより紅茶のほうがいいかなあ", "紅茶 likes"},
		{"紅茶がいちばん好き", "紅茶 likes"},
		{"東京より寒いかな", ""},
		{"明日より来週かな", ""},
		{"別に福岡に住んでるわけじゃないよ", ""},
		{"大阪に住んでるよ、と友達が言ってた", ""},
		{"紅茶が好きなわけではない", ""},
		{"妹の名前は美緒。大阪の商社に勤めてる", ""},
		{"田中さんは先輩です。京都に住んでる。紅茶が好き", ""},
		{"弟が来週結婚する。土曜日に京都に行く", ""},
		{"母の誕生日は来週。花を買わなきゃ", "花を買わなきゃ holds"},
		{"妹の名前は美緒。私は大阪に住んでる", "home holds"},
		{"妹の名前は美緒。大阪の商社に勤めてる。私は紅茶が好き", "紅茶 likes"},
		{"天気は最高。大阪に住んでる", "home holds"},
		{"I hate olives, love ramen", "olives dislikes, ramen likes"},
		{"I really like tea and hate coffee, but can't stand cocoa", "tea likes, coffee dislikes, cocoa dislikes"},
		{"I hate olives, but Ken loves ramen", ""},
		{"I love ramen. They love tea", "ramen likes"},
	} {
		var got []string
		e := messages.Event{ID: "m", Speaker: "Hana", At: at, Text: messages.Text(c.says)}
		for _, l := range growth.Learn(e, func() []memory.Topic { return nil }) {
			got = append(got, fmt.Sprint(string(l.Name), " ", l.Claim.Op))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("Learn(%q) = %q, want %q", c.says, s, c.want)
		}
	}
}
