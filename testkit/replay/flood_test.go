package replay

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// flooding are the texts of floods, by number.
var flooding = map[string]func(int) string{
	"other texts": func(i int) string {
		when := []string{"朝は", "来週は", "明日は", "昨日は", "夕方は", "今日は", "週末は"}
		where := []string{"公園で", "駅で", "海で", "会社で", "学校で", "店で", "図書館で", "川で"}
		what := []string{"雪を", "猫を", "母を", "風を", "雨を", "犬を", "弟を", "本を", "友を"}
		did := []string{"忘れた", "着いたよ", "食べた", "待ってて", "見てきた", "買ったよ", "行くね", "書いた", "聞いた", "描いた", "持った"}
		return when[i*3%7] + where[i*5%8] + what[i*2%9] + did[i*4%11]
	},
	"other digits": func(i int) string { return fmt.Sprintf("message %02d", i+1) },
	"repeats": func(i int) string {
		if i%3 != 0 {
			return []string{"OK", "はい", "OK", "うん"}[i%4]
		}
		return fmt.Sprintf("来週の予定の件その%d番", i*7)
	},
}

// flooded are a chat, a flood of sixty messages after 40 s, in which something happens, and a last message.
func flooded(said func(int) string, overMS int, do string) (text string, want []string) {
	var b strings.Builder
	write := func(at int, who, text string) {
		fmt.Fprintf(&b, `{"at_ms":%d,"who":%q,"text":%q,"conversation":"Aoi"}`+"\n", at, who, text)
		if who == "friend" {
			want = append(want, text)
		}
	}
	for i := range 14 {
		who := "friend"
		if i%3 == 0 {
			who = "me"
		}
		write(2500*i, who, fmt.Sprintf("いつもの話 その%d", i+1))
	}
	const n, doAt = 60, 42000
	for i := range n {
		at := 40000 + i*overMS/n
		if do != "" && at >= doAt {
			fmt.Fprintf(&b, `{"at_ms":%d,"do":%q}`+"\n", doAt, do)
			do = ""
		}
		write(at, "friend", said(i))
	}
	if do != "" {
		fmt.Fprintf(&b, `{"at_ms":%d,"do":%q}`+"\n", doAt, do)
	}
	write(200000, "friend", "終わりました")
	return b.String(), want
}

// TestFlood: messages scroll by faster than the window is looked at. Each that stood whole in a captured frame comes
// once and in order, and others are spoken of by a gap that says how many screens it may hide. With a window that
// may be scrolled all come, once, and no gap is told.
func TestFlood(t *testing.T) {
	for kind, said := range flooding {
		for _, over := range []int{2000, 5000} {
			for _, c := range []struct {
				name, do string
				catchUp  bool
			}{{"watched", "", false}, {"restarted", "restart", false}, {"crashed", "crash", false},
				{"caught up", "", true}, {"caught up after a restart", "restart", true},
				{"caught up after a crash", "crash", true}} {
				t.Run(fmt.Sprintf("%s in %d ms, %s", kind, over, c.name), func(t *testing.T) {
					t.Parallel()
					text, want := flooded(said, over, c.do)
					o := plainOptions(parsed(t, text))
					if c.catchUp {
						o.Config.Read.CatchUp = config.CatchUpScroll
					}
					var got []string
					o.Deliver = func(e control.Entry) error {
						for _, p := range e.Message.Parts {
							got = append(got, p.Text)
						}
						return nil
					}
					var gaps []messages.TranscriptGap
					o.Options = []runtime.Option{runtime.WithListener(func(ev runtime.Event) {
						if g, ok := ev.Message.(messages.TranscriptGap); ok {
							gaps = append(gaps, g)
						}
					})}
					open := 0
					if kind == "repeats" && over == 5000 && c.name == "crashed" {
						open = 1 // a page ends with "OK" and the next begins with it, which may be one
					}
					r, err := Run(t.Context(), o)
					if err != nil || r.Errors() != open || r.Missed != open {
						t.Errorf("Run() = %d errors %+v, %v, want %d", r.Errors(), r.Problems, err, open)
					}
					if c.catchUp && (!slices.Equal(got, want) || c.do == "" && len(gaps) > 0) {
						t.Errorf("delivered %q with the gaps %+v, want all of %q", got, gaps, want)
					}
					if !c.catchUp && (len(gaps) == 0 || slices.ContainsFunc(gaps, func(g messages.TranscriptGap) bool {
						return g.Screens < 1 || g.Screens > 10
					})) {
						t.Errorf("gaps told are %+v, want some, each of a screen or a few", gaps)
					}
				})
			}
		}
	}
}
