package pii

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

var key = []byte("0123456789abcdef0123456789abcdef")

const note = "田中さんへ。電話は090-1234-5678、メールはtaro@example.comです。田中"

func TestPlaceholdersAreStable(t *testing.T) {
	v := Vault{Key: key}
	got := v.Mask(note)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	name := got.Text[:strings.Index(got.Text, "]")+1]
	if !strings.HasPrefix(name, "[氏名·") || strings.Count(got.Text, name) != 2 {
		t.Errorf("Mask = %q, want the same [氏名·…] for both names", got.Text)
	}
	again := Vault{Key: key}
	if other := again.Mask(note); other.Text != got.Text {
		t.Errorf("an empty vault with the same key masks %q, want %q", other.Text, got.Text)
	}
	foreign := Vault{Key: []byte("another conversation's key")}
	if other := foreign.Mask(note); other.Text == got.Text {
		t.Error("another conversation's key makes the same placeholders")
	}
	if back := v.Restore(got.Text); back != note {
		t.Errorf("Restore = %q, want %q", back, note)
	}
	if back := foreign.Restore(name); back != name {
		t.Errorf("Restore by another vault = %q, want %q as it is", back, name)
	}
}

func TestVaultIsStored(t *testing.T) {
	v := Vault{Key: key}
	masked := v.Mask(note).Text
	stored, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(stored), string(key)) {
		t.Error("the key is stored with the originals")
	}
	var loaded Vault
	if err := json.Unmarshal(stored, &loaded); err != nil {
		t.Fatal(err)
	}
	if back := loaded.Restore(masked); back != note {
		t.Errorf("Restore after loading = %q, want %q", back, note)
	}
	for _, shown := range []string{fmt.Sprint(v), fmt.Sprintf("%v %+v %#v %s", v, v, v, v), fmt.Sprint(v.Mask(note))} {
		if strings.Contains(shown, "田中") || strings.Contains(shown, "example.com") {
			t.Errorf("a vault or a masked text prints as %q: private text", shown)
		}
	}
}

// Two spellings of one value share their digits, and each comes back as it was.
func TestSpellings(t *testing.T) {
	v := Vault{Key: key}
	a := v.Mask("090-1234-5678").Text
	b := v.Mask("０９０１２３４５６７８").Text
	if a == b || strings.TrimSuffix(a, "]")+"-2]" != b {
		t.Errorf("two spellings are %q and %q, want the second to be the first with -2", a, b)
	}
	if got := v.Restore(a + b); got != "090-1234-5678０９０１２３４５６７８" {
		t.Errorf("Restore = %q", got)
	}
}

// Different values never share a placeholder, however many there are.
func TestDigitsNeverCollide(t *testing.T) {
	v := Vault{Key: key}
	seen := map[string]bool{}
	const values = 3000
	longer := 0
	for i := range values {
		p := v.placeholder(Email, fmt.Sprintf("user%d@example.com", i))
		if seen[p] {
			t.Fatalf("%s stands for two values", p)
		}
		seen[p] = true
		if len(p) > len("[メールアドレス·7f3a]") {
			longer++
		}
	}
	if longer == 0 {
		t.Errorf("%d values in %d digits, and none collided: the test tests nothing", values, fewDigits)
	}
}

// Text that looks like a placeholder reveals no other value.
func TestWrittenPlaceholders(t *testing.T) {
	v := Vault{Key: key}
	real := v.Mask("田中さん").Text
	name := strings.TrimSuffix(real, "さん")
	text := name + "と［氏名・7f3a］と[氏名]"
	got := v.Mask(text)
	if strings.Contains(got.Text, name) {
		t.Errorf("Mask(%q) = %q keeps a placeholder that somebody wrote", text, got.Text)
	}
	if !strings.Contains(got.Text, "[氏名]") {
		t.Errorf("Mask(%q) = %q masks a plain label", text, got.Text)
	}
	if back := v.Restore(got.Text); back != text {
		t.Errorf("Restore = %q, want %q", back, text)
	}
}

// Models write brackets and dots in their own way.
func TestRestoreWhatModelsWrite(t *testing.T) {
	v := Vault{Key: key}
	p := strings.TrimSuffix(v.Mask("田中さん").Text, "さん")
	digits := strings.TrimSuffix(strings.TrimPrefix(p, "[氏名·"), "]")
	for _, form := range []string{"[氏名·%s]", "[氏名・%s]", "［氏名·%s］", "[氏名•%s]"} {
		if got := v.Restore(fmt.Sprintf(form, digits) + "様"); got != "田中様" {
			t.Errorf("Restore(%s) = %q, want 田中様", fmt.Sprintf(form, digits), got)
		}
	}
	for _, form := range []string{"[氏名·0000]", "[氏名·" + digits, "氏名·" + digits + "]", "[猫·" + digits + "]"} {
		if got := v.Restore(form); got != form {
			t.Errorf("Restore(%q) = %q, want it as it is", form, got)
		}
	}
}

func TestHeld(t *testing.T) {
	tests := []struct {
		text string
		want int
	}{
		{"", 0}, {"abc", 3}, {"abc[", 3}, {"abc[氏名·7f", 3}, {"[氏名·7f3a]", len("[氏名·7f3a]")},
		{"a]b", 3}, {"a［氏名", 1}, {"[" + strings.Repeat("あ", 200), 601},
	}
	for _, tt := range tests {
		if got := Held(tt.text); got != tt.want {
			t.Errorf("Held(%q) = %d, want %d", tt.text, got, tt.want)
		}
	}
	// Restoring a stream in pieces gives what restoring the whole does.
	v := Vault{Key: key}
	whole := v.Mask(note + note).Text
	var out, rest string
	for _, r := range whole {
		rest += string(r)
		n := Held(rest)
		out += v.Restore(rest[:n])
		rest = rest[n:]
	}
	if out += v.Restore(rest); out != note+note {
		t.Errorf("restored in pieces: %q, want %q", out, note+note)
	}
}
