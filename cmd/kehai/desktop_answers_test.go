//go:build desktop

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestDesktopAnswers has a friend ask in a real browser: what is read there is judged,
// masked, answered by a scripted model that sees no name, typed and seen. A stop in order comes while an answer stands
// in the field; then kehai is killed beside the steps of a sending, KEHAI_ANSWER_KILLS times
// (make crash-desktop: 42). No answer is sent twice, and nothing else is.
func TestDesktopAnswers(t *testing.T) {
	kills := 2
	if n, err := strconv.Atoi(os.Getenv("KEHAI_ANSWER_KILLS")); err == nil {
		kills = n
	}
	a := openAnswering(t, 3+kills/2)
	a.stopsWhileTyping(t)
	met := 0
	for i, at := range desktopDeaths(kills) {
		if a.live(t, at, 40*time.Second, func() bool { return false }) {
			met++
		} else {
			t.Logf("kill %d, at %s, came by the clock", i, at)
		}
		a.check(t)
	}
	a.live(t, deathPoint{}, 3*time.Minute, func() bool { return a.answered(t) })
	if s := a.check(t); !a.answered(t) || s.Field > 0 {
		t.Errorf("in the end the page is at %+v, unanswered\n%s", s, a.says("drafts", "status", "messages"))
	}
	if met < (kills+1)/2 {
		t.Errorf("%d of %d kills were at their step, want half at least: this test shows little", met, kills)
	}
	a.wantNoOwnDelivered(t)
}

// desktopDeaths are where kehai kills itself, the most telling ones first.
func desktopDeaths(n int) (list []deathPoint) {
	for _, step := range []string{"hands/1", "hands/2", "in outbound/3", "in outbound/2", "in outbound/4", "llm/2",
		"in outbound/1", "in outbound/5", "in outbound/6", "in conversation/2", "in conversation/3",
		"in conversation/4", "in judge/1", "in burst/1", "in ingress/1", "in dedup/2", "in fusion/3", "in keyboard/1",
		"llm/1", "ocr/5", "capture/20"} {
		for _, after := range []string{"true", "false"} {
			list = append(list, parseDeathPoint(step+"/"+after))
		}
	}
	for len(list) < n {
		list = append(list, list[:min(len(list), n-len(list))]...)
	}
	return list[:n]
}

// askedPage is a chat page in which somebody asks, and a kehai that answers.
type askedPage struct {
	*chat
	dir, exe string
	total    int
}

// pageState is what the page's title tells.
type pageState struct {
	Asked int   `json:"asked"`
	Sent  []int `json:"sent"`
	Other int   `json:"other"`
	Field int   `json:"field"`
}

func openAnswering(t *testing.T, total int) *askedPage {
	t.Helper()
	page, err := os.ReadFile("testdata/answering.html")
	if err != nil {
		t.Fatal(err)
	}
	html := strings.Replace(string(page), "TOTAL = 1000", fmt.Sprintf("TOTAL = %d", total), 1)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	a := &askedPage{chat: openChat(t, html), dir: t.TempDir(), exe: exe, total: total}
	config := `
durability: process
windows: [{name: web, app: web, driver: x11, ref: "title:Hana Chat", layout: generic}]
replies: {policy: auto, auto: ["web:Hana"], per_hour: 1000, in_a_row: 1000}
llm: {per_hour: 10000}
privacy: {mask: always}
web: {enabled: false}
log: {level: error}
`
	if err := os.WriteFile(filepath.Join(a.dir, "kehai.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *askedPage) command(at deathPoint, args ...string) *exec.Cmd {
	cmd := exec.Command(a.exe)
	cmd.Args = append([]string{"kehai", "--data", filepath.Join(a.dir, "data"), "--config",
		filepath.Join(a.dir, "kehai.yaml")}, args...)
	value := "never"
	if at.step != "" {
		value = at.String()
	}
	ours := func(entry string) bool { return strings.HasPrefix(entry, "KEHAI_") } // of the test, no settings
	cmd.Env = append(slices.DeleteFunc(os.Environ(), ours), answeringEnv+"="+value+maskedModel)
	return cmd
}

// says is what verbs of kehai print.
func (a *askedPage) says(verbs ...string) (all string) {
	for _, v := range verbs {
		out, err := a.command(deathPoint{}, v).CombinedOutput()
		all += fmt.Sprintf("kehai %s: %v\n%s", v, err, out)
	}
	return all
}

// state is what the page says now.
func (a *askedPage) state(t *testing.T) (s pageState) {
	t.Helper()
	desktop.Eventually(t, "the page tells its state", func() bool {
		w, err := findWindow(t.Context(), chatQuery)
		_, told, found := strings.Cut(w.Title, "Hana Chat ")
		if err == nil && !found {
			return true // nothing was asked yet
		}
		end := strings.LastIndex(told, "}")
		return err == nil && json.Unmarshal([]byte(told[:end+1]), &s) == nil
	})
	return s
}

// check fails if an answer was sent twice, or after a newer one, or another text was.
func (a *askedPage) check(t *testing.T) pageState {
	t.Helper()
	s := a.state(t)
	if s.Other > 0 || !slices.IsSorted(s.Sent) || len(slices.Compact(slices.Clone(s.Sent))) != len(s.Sent) {
		t.Fatalf("sent: answers %v and %d other texts, want each answer once and in order\n%s", s.Sent, s.Other,
			a.says("drafts", "messages"))
	}
	return s
}

// answered reports that all was asked, and each question answered, or its answer shown to
// the person: one answers all that stand above it.
func (a *askedPage) answered(t *testing.T) bool {
	t.Helper()
	s := a.state(t)
	if s.Asked < a.total {
		return false
	}
	if len(s.Sent) > 0 && s.Sent[len(s.Sent)-1] == s.Asked {
		return true
	}
	return strings.Contains(a.says("drafts"), fmt.Sprintf("Hanaへの答え%dです", s.Asked))
}

// live runs kehai until it has killed itself, the time is up, or done; it ends it with a
// kill where it was to die, else in order.
func (a *askedPage) live(t *testing.T, at deathPoint, most time.Duration, done func() bool) (met bool) {
	t.Helper()
	cmd, died, stderr := a.start(t, at)
	late := time.NewTimer(most)
	defer late.Stop()
	look := time.NewTicker(300 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-died:
			status := cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != syscall.SIGKILL {
				t.Fatalf("kehai ended by itself (%v):\n%s", cmd.ProcessState, stderr)
			}
			return true
		case <-look.C:
			if !done() {
				continue
			}
		case <-late.C:
		}
		if at.step != "" {
			_ = cmd.Process.Kill() // an error means that it has ended
			<-died
			return false
		}
		a.stop(t, cmd, died, stderr)
		return false
	}
}

func (a *askedPage) start(t *testing.T, at deathPoint) (cmd *exec.Cmd, died chan struct{}, stderr *bytes.Buffer) {
	t.Helper()
	cmd, stderr, died = a.command(at, "run", "--json"), &bytes.Buffer{}, make(chan struct{})
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // an error means that it has ended
		if <-died; t.Failed() {
			t.Logf("kehai printed:\n%s", stderr)
		}
	})
	go func() {
		defer close(died)
		_ = cmd.Wait()
	}()
	return cmd, died, stderr
}

// stop ends kehai in order.
func (a *askedPage) stop(t *testing.T, cmd *exec.Cmd, died chan struct{}, stderr *bytes.Buffer) {
	t.Helper()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Errorf("Signal(SIGINT) = %v", err)
	}
	<-died
	if !cmd.ProcessState.Success() && !strings.Contains(stderr.String(), "it goes on at the next start") {
		t.Errorf("kehai ended with %v:\n%s", cmd.ProcessState, stderr)
	}
}

// stopsWhileTyping ends kehai in order while an answer stands in the field: it is taken out,
// and not sent.
func (a *askedPage) stopsWhileTyping(t *testing.T) {
	t.Helper()
	cmd, died, stderr := a.start(t, deathPoint{})
	desktop.Eventually(t, "kehai answers at its socket", func() bool {
		select {
		case <-died:
			t.Fatalf("kehai ended by itself: %v", cmd.ProcessState)
		default:
		}
		client, err := control.Dial(t.Context(), filepath.Join(a.dir, "data"))
		if err == nil {
			client.Close()
		}
		return err == nil
	})
	a.begin()
	look := time.NewTicker(50 * time.Millisecond)
	defer look.Stop()
	for late := time.Now().Add(3 * time.Minute); ; <-look.C {
		s := a.state(t)
		if s.Field > 0 || len(s.Sent) > 0 {
			break
		}
		if time.Now().After(late) {
			t.Fatalf("no answer stands in the field; the page is at %+v\n%s", s, a.says("status", "drafts"))
		}
	}
	began := time.Now()
	a.stop(t, cmd, died, stderr)
	s := a.check(t)
	if s.Field > 0 || time.Since(began) > 12*time.Second {
		t.Errorf("after a stop in order, %v later, %d characters are left in the field, want none", time.Since(began),
			s.Field)
	}
	if len(s.Sent) > 0 {
		t.Logf("the answer was sent before the stop")
	}
}

// wantNoOwnDelivered: what kehai has sent was never taken for a message of the friend's.
func (a *askedPage) wantNoOwnDelivered(t *testing.T) {
	t.Helper()
	out, err := a.command(deathPoint{}, "messages", "--json", "--since", "24h").Output()
	if err != nil {
		t.Fatalf("kehai messages: %v", err)
	}
	delivered := 0
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var e control.Entry
		if err := dec.Decode(&e); err != nil {
			t.Fatal(err)
		}
		if e.Message == nil {
			continue
		}
		delivered++
		if strings.Contains(string(out), "への答え") && strings.Contains(fmt.Sprint(e.Message.Parts), "答え") {
			t.Errorf("an answer of ours was delivered as a message from %s", e.Message.Sender)
		}
	}
	if delivered == 0 {
		t.Error("no messages were delivered, want those of the friend")
	}
}
