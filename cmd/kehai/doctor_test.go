package main

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

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
	for _, c := range []struct {
		backend runs
		want    []finding
	}{
		{runs{status: control.Status{StartedAt: since}}, []finding{{what: "running", ok: true, text: "since 2026-01-01T00:00:00.000Z, and knows of nothing wrong"}}},
		{runs{status: control.Status{Problems: []string{"a", "b"}}}, []finding{{what: "running", text: "a"}, {what: "running", text: "b"}}},
		{runs{err: errors.New("gone")}, []finding{{what: "running", text: "gone"}}},
	} {
		if got := checkRunning(context.Background(), c.backend); !reflect.DeepEqual(got, c.want) {
			t.Errorf("checkRunning(%+v) = %+v, want %+v", c.backend.status, got, c.want)
		}
	}
}
