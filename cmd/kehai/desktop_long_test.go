//go:build desktop && long

package main

import (
	"encoding/json"
	"image"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// Lines of a long chat. Short ones come again and again.
var (
	shortLines = []string{"OK", "はい", "了解", "うん", "Thanks!", "なるほど", "そうだね"}
	longLines  = []string{
		"明日の会議は十時からに変わりました", "Could you send me the address again?", "駅に着いたら電話してください",
		"今日の晩ごはんは何がいいですか", "The meeting room is on the third floor", "写真ありがとう、とてもきれいですね",
		"I left my umbrella at the office", "来週の金曜日は空いていますか", "新しいカフェができたらしいよ",
		"Let me know when you get home", "電車が少し遅れているみたいです", "資料は昨日のうちに送っておきました",
		"We should visit the museum on Sunday", "傘を持っていったほうがいいかも", "Did you finish the report already?",
		"猫が窓のところで寝ています", "パスワードは後で別に送ります", "See you in front of the station",
	}
)

// longChat writes a chat of so many messages of the other side and own ones
// between them. Sometimes the reader scrolls back while messages arrive, and the
// list is built anew.
func longChat(rng *rand.Rand, n int) [][]any {
	list := [][]any{{"Hana", "昨日はありがとう"}, {"me", "こちらこそ楽しかった"}}
	line := func() string {
		if rng.IntN(3) == 0 {
			return shortLines[rng.IntN(len(shortLines))]
		}
		return longLines[rng.IntN(len(longLines))]
	}
	for i := range n {
		list = append(list, []any{"Hana", line(), 700 + rng.IntN(1800)})
		if rng.IntN(4) == 0 {
			list = append(list, []any{"me", line(), 1200 + rng.IntN(800)})
		}
		switch {
		case i%16 == 9:
			list = append(list, []any{"scroll", "-500", 1500},
				[]any{"Hana", line(), 1500}, []any{"Hana", line(), 1500}, []any{"scroll", "end", 1500})
		case i%16 == 13:
			list = append(list, []any{"render", "", 1000})
		}
	}
	return list
}

// withChat puts a chat into the page.
func withChat(t *testing.T, page string, chat [][]any) string {
	t.Helper()
	const open = `<script id="said" type="application/json">`
	before, rest, ok := strings.Cut(page, open)
	_, after, ok2 := strings.Cut(rest, "</script>")
	raw, err := json.Marshal(chat)
	if !ok || !ok2 || err != nil {
		t.Fatalf("the page has no place for a chat (%v)", err)
	}
	return before + open + string(raw) + "</script>" + after
}

// TestDesktopWatchesLong is TestDesktopWatchesBrowser with a long chat, in the
// variants that a desktop has. Kehai is killed in the middle and started again.
func TestDesktopWatchesLong(t *testing.T) {
	for _, v := range []struct {
		name  string
		n     int
		dark  bool
		scale string // GDK_SCALE
		flags []string
		args  []string
	}{
		{name: "light", n: 60},
		{name: "dark", n: 20, dark: true, args: []string{"--layout", "generic"}},
		{name: "scale 2", n: 20, scale: "2", flags: []string{
			"--force-device-scale-factor=2", "--window-size=600,420", "--window-position=10,10",
		}},
	} {
		t.Run(v.name, func(t *testing.T) {
			raw, err := os.ReadFile("testdata/chat.html")
			if err != nil {
				t.Fatal(err)
			}
			page := withChat(t, string(raw), longChat(rand.New(rand.NewPCG(7, uint64(v.n))), v.n))
			if v.dark {
				page = strings.Replace(page, `<html lang="ja">`, `<html lang="ja" class="dark">`, 1)
			}
			t.Setenv("GDK_SCALE", v.scale)
			c := openChat(t, page, v.flags...)
			want := c.incoming(t)
			data := t.TempDir()
			w := startWatch(t, data, v.args...)
			c.begin()

			var tr transcript
			var cover *desktop.Window
			step := func(n int) {
				switch {
				case n%20 >= 2 && n%20 < 8 && cover == nil:
					cover = c.client.Open("another", "Another", image.Rect(0, 0, 1240, 870))
					wantCovered(t, cover, c.box)
				case n%20 >= 8 && cover != nil:
					wantCovered(t, cover, c.box)
					cover.Close()
					cover = nil
				}
			}
			timeout := time.Duration(len(c.said(t))) * 4 * time.Second
			tr.follow(t, w, len(want)/2, timeout, step)
			if err := w.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			w.done.Wait()
			_ = w.cmd.Wait() // it was killed
			for m := range w.lines {
				tr.take(t, m)
			}
			w = startWatch(t, data, v.args...)
			tr.follow(t, w, len(want), timeout, step)
			w.stop(t)
			for m := range w.lines {
				tr.take(t, m)
			}
			tr.want(t, want)
			t.Logf("%d of %d messages were noticed by their row too", tr.structureCounted(t, data), len(tr.ids))
		})
	}
}
