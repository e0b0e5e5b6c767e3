package text

import (
	"strings"
	"testing"
)

func TestClockTime(t *testing.T) {
	for in, want := range map[string]string{
		"12:30": "12:30", " 9:05 PM ": "9:05 PM", "9:05pm": "9:05 pm", "午後 3:05": "午後 3:05", "午前9：05": "午前 9:05",
		"PM 9:05":   "PM 9:05",
		"9:05 p.m.": "9:05 pm", "a.m. 9:05": "am 9:05", "23:59:59": "23:59:59", "12.30": "12:30", "１２：３０": "12:30",
		"12 : 30": "12:30",
		"午後3時":    "午後 3:00", "3時05分": "3:05", "3時5分": "3:05", "15 時 30 分": "15:30",
		"": "", "12:3": "", "12:60": "", "3:00に": "", "99:00": "", "12:30 12:31": "", "30:00": "", "3時に": "", "時": "",
		"12": "", "1:2:3:4": "", "3時60分": "",
	} {
		if got := ClockTime(in); got != want {
			t.Errorf("ClockTime(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCutClock(t *testing.T) {
	for _, c := range []struct{ line, before, clock string }{
		{"OK 22. Nov 2026, 07:35", "OK", "07:35"},
		{"12:07", "", "12:07"},
		{"12:07 ✓✓", "", "12:07"},
		{"12:07 v/", "", "12:07"},
		{"了解です12:07", "了解です", "12:07"},
		{"了解です 午後3:05", "了解です", "午後 3:05"},
		{"See you! 3:05 PM", "See you!", "3:05 PM"},
		{"fine (edited) 9:41", "fine", "9:41"},
		{"うん 編集済み 9:41", "うん", "9:41"},
		{"既読 9:41", "", "9:41"},
		{"12:00 12:07", "12:00", "12:07"},
		{"See you at ten", "See you at ten", ""},
		{"ratio 112:07", "ratio 112:07", ""},
		{"at 12:07 I left", "at 12:07 I left", ""},
		{"", "", ""},
	} {
		before, clock, ok := CutClock(c.line)
		if before != c.before || clock != c.clock || ok != (c.clock != "") {
			t.Errorf("CutClock(%q) = %q, %q, %v, want %q, %q", c.line, before, clock, ok, c.before, c.clock)
		}
	}
}

func FuzzClockTime(f *testing.F) {
	f.Add("午後 3:05")
	f.Add("3時5分")
	f.Fuzz(func(t *testing.T, s string) {
		one := ClockTime(s)
		if two := ClockTime(one); two != one {
			t.Errorf("ClockTime(%q) = %q, and of that %q, want the same", s, one, two)
		}
	})
}

func FuzzCutClock(f *testing.F) {
	f.Add("See you! 3:05 PM ✓✓")
	f.Add("了解です12:07")
	f.Fuzz(func(t *testing.T, s string) {
		before, _, ok := CutClock(s)
		if !strings.Contains(s, before) || !ok && before != s {
			t.Errorf("CutClock(%q) = %q, %v, want what stands before the time", s, before, ok)
		}
	})
}
