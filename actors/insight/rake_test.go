package insight

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
)

// TestKeywords finds phrases in both languages, each with the sentence that has it.
func TestKeywords(t *testing.T) {
	f := &finder{}
	for _, x := range []struct {
		name string
		said []messages.Text
		want []string // among the best five
		not  []string
	}{
		{"English", []messages.Text{
			"The packed train is the worst. I think a packed train makes me tired!",
			"My alarm clock rings at five; then it's the packed train again.",
			"Well, that is really all.",
		}, []string{"packed train 2 The packed train is the worst.",
			"alarm clock rings 1 My alarm clock rings at five; " +
				"then it's the packed train again."}, []string{"really", "think", "well"}},
		{"Japanese", []messages.Text{
			"朝の満員電車がつらいです。それで毎日疲れています。",
			"目覚まし時計を三つ使っています。でも、満員電車のほうが嫌です。",
			"[氏名]さんに相談しました。",
		}, []string{"満員電車 2 朝の満員電車がつらいです。", "目覚まし時計 1 目覚まし時計を三つ使っています。"},
			[]string{"氏名", "それ", "ほう", "三つ"}},
		{"mixed", []messages.Text{"API連携のエラーで困る。（笑）", "API連携がまた落ちた"},
			[]string{"API連携 2 API連携のエラーで困る。"}, []string{"（", "笑）"}},
		{"signs", []messages.Text{"👍👍 ---- !!!", "12345", ""}, nil, []string{"1", "👍", "-"}},
	} {
		found, err := f.keywords(t.Context(), x.said)
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for i, k := range found {
			one := fmt.Sprintf("%s %d %s", string(k.Text), k.Count, string(k.Quote))
			all = append(all, one)
			for _, bad := range x.not {
				if strings.HasPrefix(string(k.Text), bad) {
					t.Errorf("%s: %q is a keyword, want it passed over", x.name, one)
				}
			}
			if i > 0 && k.Score > found[i-1].Score || k.Score <= 0 {
				t.Errorf("%s: %v, want the best first", x.name, found)
			}
		}
		told := strings.Join(all[:min(5, len(all))], "\n") + "\n"
		for _, want := range x.want {
			if !strings.Contains(told, want+"\n") {
				t.Errorf("%s: keywords\n%swant %q among the best", x.name, told, want)
			}
		}
	}
}
