package reply

import (
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
)

func TestCommands(t *testing.T) {
	for text, want := range map[messages.Text]bool{
		"/leave": true, "  /remind me": true, "\u200b/invite @x": true, "/ ": true, "\n/me waves": true,
		"+:thumbsup:": true, "s/ten/eleven": true, "s/ten/eleven/g": true,
		"@channel 集合です": true, "お待たせ @here": true, "(@everyone)": true, "＠全員 確認してください": true, "OK @all": true,
		"了解です。@channel": true, "@All.": true, "@みんな": true, "see @here.": true,

		"": false, "15:30に駅で": false, "3/4 に行きます": false, "km/h": false, "http://example.org/a": false,
		"s/he said so, and left": false,
		"@hana 15時に":             false, "write to anna@here.example": false, "@allison": false, "@channel-7": false,
		"@here.example": false, ":thumbsup:": false, "+:a: b": false, "a+:b:": false,
		"全員で行きます": false, "the channel is here": false, "そこに\n/leave と書いて": false,
	} {
		if got := Commands(text); got != want {
			t.Errorf("Commands(%q) = %v, want %v", string(text), got, want)
		}
	}
}

// TestACommandWaits: a text that would be carried out waits for a person, but in a
// window that Kehai draws, which carries out nothing.
func TestACommandWaits(t *testing.T) {
	s := auto()
	s.Command = true
	want := Decision{Draft, RuleCommand, time.Time{}}
	if got := Decide(s, noon); got != want {
		t.Errorf("Decide(a command) = %+v, want %+v", got, want)
	}
	s.Drawn = true
	if got := Decide(s, noon); got.Action != Send {
		t.Errorf("Decide(a command in a drawn window) = %+v, want it sent", got)
	}
	s.Policy = PolicyDraft
	if got := Decide(s, noon); got.Rule != RulePolicy {
		t.Errorf("Decide(a command, policy draft) = %+v, want the policy's rule", got)
	}
}
