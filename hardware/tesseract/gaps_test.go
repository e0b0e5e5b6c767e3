package tesseract

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
)

// set lays out characters of 20 pixels with 2 between them, and more where a
// digit stands: so many times 2.
func set(s string) (out []symbol) {
	x := 0
	for _, r := range s {
		if r >= '1' && r <= '9' {
			x += 2 * int(r-'0')
			continue
		}
		out = append(out, symbol{text: string(r), left: x, right: x + 20})
		x += 22
	}
	return out
}

// blanks are the spaces between symbols that cover all their columns.
func blanks(symbols []symbol) func(int) [][2]int {
	return func(width int) (out [][2]int) {
		for i := 1; i < len(symbols); i++ {
			if a, b := symbols[i-1].right, symbols[i].left; b-a >= width {
				out = append(out, [2]int{a, b})
			}
		}
		return out
	}
}

func TestBlankColumns(t *testing.T) {
	row := []byte("..#..##....#.....")
	for i := range row {
		row[i] = map[byte]byte{'.': 255, '#': 0}[row[i]]
	}
	for width, want := range map[int]string{1: "[[3 5] [7 11]]", 3: "[[7 11]]", 5: "[]"} {
		if got := fmt.Sprint(blankColumns(row, len(row), 0, 0, len(row), 1, width)); got != want {
			t.Errorf("blankColumns(%d) = %s, want %s", width, got, want)
		}
	}
}

func TestSpaced(t *testing.T) {
	for _, c := range []struct{ text, symbols, want string }{
		{"今日 は いい", "今日はいい", "今日 は いい"},
		{"今日はいい", "今日は9いい", "今日は\u3000いい"},
		{"今日は いい", "今日は9いい", "今日は\u3000いい"},
		{"今日はいい", "今日は3いい", "今日はいい"},
		{"はい、そう", "はい、9そう", "はい、そう"},
		{"ab cd ef", "ab9cd9ef", "ab cd ef"},
		{"今日", "今9日", "今日"}, // one step tells no pitch
		{"今日はいい", "今日が9いい", "今日はいい"},
		{"今日はいい。", "今日は9いい", "今日は\u3000いい。"},
		{"", "", ""},
	} {
		if got := spaced(c.text, set(c.symbols), blanks(set(c.symbols))); got != c.want {
			t.Errorf("spaced(%q, %s) = %q, want %q", c.text, c.symbols, got, c.want)
		}
	}
}

// TestRealSpaces reads lines with a wide space and without one.
func TestRealSpaces(t *testing.T) {
	r := open(t)
	for _, want := range []string{"明日の朝\u3000早く起きます", "明日の朝は早く起きます", "駅前の本屋、図書館、学校"} {
		lines, err := r.Recognize(context.Background(), picture(t, 30, want),
			hardware.Hint{Block: true, Lang: hardware.LangJapanese})
		if err != nil || len(lines) != 1 {
			t.Fatalf("Recognize() = %d lines, %v, want one", len(lines), err)
		}
		if got := strings.ReplaceAll(string(lines[0].Text), " ", ""); got != want {
			t.Errorf("read %q, want %q", got, want)
		}
	}
}
