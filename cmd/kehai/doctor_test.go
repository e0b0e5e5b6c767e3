package main

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

// runs answers with one status.
type runs struct {
	control.Backend
	status control.Status
	err    error
}

func (r runs) Status(context.Context) (control.Status, error) { return r.status, r.err }

func TestDoctorTellsWhatTheRunningKehaiKnows(t *testing.T) {
	since := control.Stamp{Time: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	noPage := fine("page", "off: this run has none")
	ofTwo := []messages.WindowID{"line@a", "new@a"}
	for _, c := range []struct {
		backend runs
		want    []finding
	}{
		{runs{status: control.Status{StartedAt: since, Page: "http://127.0.0.1:7411/#t=secret"}}, []finding{
			fine("page", "http://127.0.0.1:7411/"),
			fine("running", "since %s, and knows of nothing wrong", since),
		}},
		{runs{status: control.Status{Problems: []string{"a", "b"}}}, []finding{
			noPage, {what: "running", text: "a"}, {what: "running", text: "b"},
		}},
		{runs{status: control.Status{
			Node: "a", StartedAt: since, Windows: ofTwo,
			Problems: []string{"b", "window hana@a cannot be captured (minimised): restore it"},
			Captures: []control.Capture{
				{Window: "hana@a", Code: "minimised", Detail: "restore it", Since: since},
				{Window: "ken@a", Code: "paused", Since: since},
				{Window: "line@a", Since: since},
			},
		}}, []finding{
			noPage,
			{what: "capture", text: "hana@a: minimised since " + since.String() + ": restore it"},
			{what: "capture", text: "ken@a: paused since " + since.String(), mend: "kehai resume"},
			{what: "capture", ok: true, text: "line@a: captured since " + since.String()},
			{
				what: "capture", text: "new@a: not captured so far",
				mend: "wait a moment; if it stays so, the log of that run says why",
			},
			{what: "running", text: "b"},
		}},
		{runs{err: errors.New("gone")}, []finding{{what: "running", text: "gone"}}},
	} {
		if got := checkRunning(context.Background(), c.backend); !reflect.DeepEqual(got, c.want) {
			t.Errorf("checkRunning(%+v) = %+v, want %+v", c.backend.status, got, c.want)
		}
	}
}

// Beside a Kehai that runs the doctor speaks of its windows, not of others that
// are configured.
func TestDoctorSpeaksOfTheWindowsThatRun(t *testing.T) {
	cfg := config.Config{Windows: []config.Window{{Name: "line"}, {Name: "hana"}}}
	b := runs{status: control.Status{Node: "a", Windows: []messages.WindowID{"hana@a"}}}
	if got := watchedBy(context.Background(), b, cfg).Windows; len(got) != 1 || got[0].Name != "hana" {
		t.Errorf("watchedBy() = %v, want hana alone", got)
	}
	if len(cfg.Windows) != 2 {
		t.Errorf("the configuration has %v now, want both windows", cfg.Windows)
	}
}
