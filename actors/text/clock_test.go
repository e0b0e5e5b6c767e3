package text

import "testing"

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
