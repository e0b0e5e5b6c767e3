package replay

import (
	"slices"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestReplayGapAtADate: while nobody looks, more than a screenful is said and a
// day goes by. What stands below the newest date is passed on, what stands above
// it is history, and the gap is reported once.
func TestReplayGapAtADate(t *testing.T) {
	o := plainOptions(parsed(t, `{"at_ms":0,"who":"friend","text":"Hello there, how are you","conversation":"Hana"}
{"at_ms":1000,"who":"me","text":"Fine, and you","conversation":"Hana"}
{"at_ms":8000,"do":"hide"}
{"at_ms":9000,"who":"friend","text":"One train was late","conversation":"Hana"}
{"at_ms":10000,"who":"friend","text":"Two buses too","conversation":"Hana"}
{"at_ms":11000,"who":"friend","text":"Three cats came by","conversation":"Hana"}
{"at_ms":12000,"who":"friend","text":"Four dogs as well","conversation":"Hana"}
{"at_ms":13000,"who":"friend","text":"Five birds sang","conversation":"Hana"}
{"at_ms":14000,"who":"friend","text":"Six boats left the harbour","conversation":"Hana"}
{"at_ms":15000,"who":"friend","text":"Seven letters arrived","conversation":"Hana"}
{"at_ms":16000,"who":"friend","text":"Eight cups are in the kitchen","conversation":"Hana"}
{"at_ms":17000,"who":"friend","text":"Nine o'clock is fine","conversation":"Hana"}
{"at_ms":18000,"who":"friend","text":"Ten apples, please","conversation":"Hana"}
{"at_ms":60000000,"who":"friend","text":"Good morning","conversation":"Hana"}
{"at_ms":60001000,"who":"me","text":"Morning","conversation":"Hana"}
{"at_ms":60002000,"who":"friend","text":"It is Friday now","conversation":"Hana"}
{"at_ms":60003000,"do":"show"}
{"at_ms":60010000,"who":"friend","text":"See you tonight","conversation":"Hana"}
`))
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
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatalf("Run() = %v, want nil", err)
	}
	want := []string{"Hello there, how are you", "Good morning", "It is Friday now", "See you tonight"}
	if !slices.Equal(got, want) {
		t.Errorf("delivered %q, want %q", got, want)
	}
	if len(gaps) != 1 || gaps[0].Passed < 2 || gaps[0].Visible < 6 {
		t.Errorf("gaps %+v, want one with 2 messages or more passed on of 6 or more", gaps)
	}
}
