package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
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
				{Window: "hana@a", Code: messages.CodeMinimised, Detail: "restore it", Since: since},
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

// The doctor lists all that is private with its mode and owner, and says of each that others may read or
// change what mends it.
func TestDoctorListsWhatIsPrivate(t *testing.T) {
	cfg := config.Default()
	cfg.Data, cfg.LLM.KeyFile = filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "llm")
	if got := checkPrivate(cfg); len(got) > 0 {
		t.Errorf("before the first run checkPrivate() = %+v, want nothing", got)
	}
	err := os.WriteFile(cfg.LLM.KeyFile, []byte("key"), 0o600)
	for _, dir := range []string{"keys", "store", "recordings", "prompts"} {
		err = errors.Join(err, os.MkdirAll(filepath.Join(cfg.Data, dir), 0o700))
	}
	for _, file := range []string{"feed.token", "page.sessions", "store/a", "recordings/b.flight", "old.backup"} {
		err = errors.Join(err, os.WriteFile(filepath.Join(cfg.Data, file), nil, 0o600))
	}
	ln, failed := net.Listen("unix", filepath.Join(cfg.Data, "kehai.sock"))
	if err = errors.Join(err, failed, os.Chmod(filepath.Join(cfg.Data, "kehai.sock"), 0o600),
		os.Chmod(filepath.Join(cfg.Data, "prompts"), 0o755)); err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	me := userName(os.Geteuid())
	got := checkPrivate(cfg)
	if len(got) != 1 || !got[0].ok {
		t.Fatalf("checkPrivate(all closed) = %+v, want nothing wrong", got)
	}
	for _, want := range []string{
		"drwx------ " + me, cfg.Data + "/feed.token", cfg.Data + "/page.sessions", cfg.Data + "/store, 1 in it",
		cfg.Data + "/keys", cfg.Data + "/recordings, 1 in it", "drwxr-xr-x " + me, "Srw------- " + me,
		cfg.Data + "/kehai.sock", cfg.Data + "/old.backup", cfg.LLM.KeyFile, "-rw------- " + me,
	} {
		if !strings.Contains(got[0].text, want) {
			t.Errorf("checkPrivate() lists\n%s\nwant also %s", got[0].text, want)
		}
	}
	for path, mend := range map[string]string{
		filepath.Join(cfg.Data, "feed.token"):    "chmod 600 ",
		filepath.Join(cfg.Data, "old.backup"):    "chmod 600 ",
		filepath.Join(cfg.Data, "recordings"):    "chmod 700 ",
		filepath.Join(cfg.Data, "kehai.sock"):    "chmod 600 ",
		cfg.LLM.KeyFile:                          "chmod 600 ",
		filepath.Dir(cfg.LLM.KeyFile):            "chmod g-w ",
		filepath.Join(cfg.Data, "page.sessions"): "chmod 600 ",
	} {
		info, err := os.Stat(path)
		if err = errors.Join(err, os.Chmod(path, info.Mode().Perm()|0o060)); err != nil {
			t.Fatal(err)
		}
		got := checkPrivate(cfg)
		if err := os.Chmod(path, info.Mode().Perm()); err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || got[1].ok || !strings.HasPrefix(got[1].text, path) ||
			!strings.Contains(got[1].mend, mend+path) {
			t.Errorf("with %s open checkPrivate() = %+v, want it told, with %s", path, got, mend)
		}
	}
	if os.Geteuid() != 0 {
		return // nobody else can be had
	}
	if err := os.Chown(filepath.Join(cfg.Data, "store", "a"), 3002, 3002); err != nil {
		t.Fatal(err)
	}
	if got := checkPrivate(cfg); len(got) != 2 || !strings.Contains(got[1].text, "belongs to user 3002") {
		t.Errorf("with a file of another user in the store checkPrivate() = %+v, want it told", got)
	}
}

// A data directory that cannot be made is told before a run fails.
func TestCanMake(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if above, err := canMake(filepath.Join(home, "new", "one")); above != home || err != nil {
		t.Errorf("canMake() = %s, %v, want %s", above, err, home)
	}
	if above, err := canMake(filepath.Join(file, "new")); above != file || err == nil {
		t.Errorf("canMake() where nobody may = %s, %v, want an error of %s", above, err, file)
	}
}
