package main

import (
	"errors"
	"reflect"
	"testing"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestDoctorTellsOfNamesThatNobodyHas: a name that matches no conversation lets nothing
// out, and nothing else says so.
func TestDoctorTellsOfNamesThatNobodyHas(t *testing.T) {
	known := []control.Conversation{{App: "line", Name: "Hana"}, {App: "line", Name: "Ken"}}
	unseen := " is in the settings, and no conversation has been seen that is called so"
	lists := "kehai conversations lists those that are known"
	for _, c := range []struct {
		names []string
		known []control.Conversation
		err   error
		want  []finding
	}{
		{[]string{"line:Hana", "line:Ken"}, known, nil,
			[]finding{fine("replies", "the settings name conversations that are known")}},
		{[]string{"line:Hanna", "line:Ken"}, known, nil,
			[]finding{{what: "replies", text: "line:Hanna" + unseen, mend: "did you mean line:Hana?"}}},
		{[]string{"slack:Everybody"}, known, nil,
			[]finding{{what: "replies", text: "slack:Everybody" + unseen, mend: lists}}},
		{[]string{"line:Hana"}, nil, nil, []finding{{what: "replies", text: "line:Hana" + unseen, mend: lists}}},
		{[]string{"line:Hana"}, nil, errors.New("gone"), []finding{{what: "replies", text: "gone"}}},
	} {
		cfg := config.Default()
		cfg.Replies.Auto = c.names
		if got := unknownNames(cfg, c.known, c.err); !reflect.DeepEqual(got, c.want) {
			t.Errorf("unknownNames(%q) = %+v, want %+v", c.names, got, c.want)
		}
	}
	cfg := config.Default()
	cfg.Data = t.TempDir()
	if got := checkNames(t.Context(), cfg, nil); got != nil {
		t.Errorf("checkNames() without names = %+v, want nothing", got)
	}
	cfg.Replies.Auto = []string{"line:Hana", "line:Hana"}
	if got := checkNames(t.Context(), cfg, nil); len(got) != 1 || got[0].ok || got[0].need {
		t.Errorf("checkNames() before the first run = %+v, want a note", got)
	}
}
