package live

import (
	"bytes"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
)

// A key may name a person: the log has it as the host writes it.
func TestTheLogHidesKeys(t *testing.T) {
	const friend messages.Address = "dedup/line:Hana & 花"
	for name, write := range map[string]func(messages.Address) string{
		"dedup":       func(a messages.Address) string { return a.Kind() },
		"dedup/#4f1c": func(a messages.Address) string { return a.Kind() + "/#4f1c" },
		"dedup/x":     nil,
	} {
		var log bytes.Buffer
		s := &System{log: zerolog.New(&log), o: Options{Name: write}}
		want := name
		if write == nil { // a host that hides nothing
			s.o.Name = func(a messages.Address) string { return string(a) }
			want = string(friend)
		}
		s.logBug(friend, "row of "+string(friend)+" and of actors/"+(&child{addr: friend}).name())
		got := log.String()
		if !strings.Contains(got, `"actor":"`+want+`"`) {
			t.Errorf("the log holds %s, want the actor as %q", got, want)
		}
		if leaks := strings.Contains(got, "Hana"); leaks != (write == nil) {
			t.Errorf("the log holds %s, want the key in it: %v", got, write == nil)
		}
	}
}

func TestAddressesOfProtoactors(t *testing.T) {
	for _, a := range []messages.Address{"dedup/line:Hana & 花/x", "ocr/1"} {
		pid := &actor.PID{Id: "kehai/actors/" + (&child{addr: a}).name()}
		if got := addressOf(pid); got != a {
			t.Errorf("addressOf(%s) = %q, want %q", pid.Id, got, a)
		}
	}
	if got := addressOf(&actor.PID{Id: "kehai/actors"}); got != "kehai/actors" {
		t.Errorf("addressOf(a supervisor) = %q, want its id", got)
	}
}
