package privacy

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kehai-run/kehai/actors/pii"
)

func TestLines(t *testing.T) {
	in := "田中さん\r\n\xff\n\n090-1234-5678\x00\nend"
	var out strings.Builder
	var failed []int
	err := Lines(iotest.OneByteReader(strings.NewReader(in)), pii.Japanese, func(l Line) error {
		out.WriteString(l.Text + l.End)
		if l.Error != "" {
			failed = append(failed, l.Number)
		}
		return nil
	})
	if want := "[氏名]さん\r\n[非公開]\n\n[電話番号]\x00\nend"; out.String() != want || err != nil {
		t.Errorf("Lines gives %q, %v, want %q", out.String(), err, want)
	}
	if !slices.Equal(failed, []int{2}) {
		t.Errorf("lines %v failed, want line 2", failed)
	}
}

func TestLongLineIsWithheld(t *testing.T) {
	in := io.MultiReader(strings.NewReader(strings.Repeat("田中さん", pii.MaxBytes/6)), strings.NewReader("\n佐藤さん\n"))
	var got []Line
	if err := Lines(in, pii.Japanese, func(l Line) error { got = append(got, l); return nil }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Text != "[非公開]" || got[0].Error == "" || got[1].Text != "[氏名]さん" || got[1].Number != 2 {
		t.Errorf("Lines = %d lines, want the first withheld and the second masked", len(got))
	}
}

func TestLinesEndWithErrors(t *testing.T) {
	broken := errors.New("broken")
	if err := Lines(iotest.ErrReader(broken), pii.Japanese, nil); !errors.Is(err, broken) {
		t.Errorf("a reader's error: %v", err)
	}
	calls := 0
	err := Lines(strings.NewReader("a\nb\n"), pii.Japanese, func(Line) error { calls++; return broken })
	if !errors.Is(err, broken) || calls != 1 {
		t.Errorf("the function's error: %v after %d calls, want it after 1", err, calls)
	}
}
