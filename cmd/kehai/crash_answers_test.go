//go:build crash

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestCrashAnswers kills a real kehai that answers two friends in one window by itself:
// between each two durable steps of a reply, beside each call of a worker, and at random
// moments, while the window is switched from one friend to the other. In the end no
// answer was sent twice, none into the other chat, and each question was answered, or its
// answer is shown as waiting or unknown.
func TestCrashAnswers(t *testing.T) {
	kills := envInt(t, "KEHAI_ANSWER_KILLS", 32)
	seed := uint64(envInt(t, "KEHAI_SEED", int(time.Now().UnixNano()%1e9)))
	t.Logf("seed %d: repeat with KEHAI_SEED=%d", seed, seed)
	for lane := range lanes {
		t.Run(strconv.Itoa(lane+1), func(t *testing.T) {
			t.Parallel()
			answers(t, (kills+lane)/lanes, lane, rand.New(rand.NewPCG(seed, uint64(lane))))
		})
	}
}

// deathPoints are where kehai kills itself, in the order in which lanes take them: first beside each step
// from the screen to the sending, then at its later turns.
func deathPoints() (list []deathPoint) {
	for n := int32(1); n <= 8; n++ {
		for _, s := range []struct {
			step  string
			turns int32
			every int32 // what is done all the time shall not be met at a start alone
		}{
			{"in outbound", 8, 1}, {"in conversation", 4, 1}, {"in judge", 2, 1}, {"llm", 2, 1}, {"hands", 2, 1},
			{"in keyboard", 2, 1}, {"in fusion", 2, 2}, {"in dedup", 2, 1}, {"in ingress", 2, 1}, {"in burst", 2, 1},
			{"ocr", 2, 4}, {"capture", 2, 20},
		} {
			for _, after := range []bool{false, true} {
				if n <= s.turns {
					list = append(list, deathPoint{step: s.step, nth: n * s.every, after: after})
				}
			}
		}
	}
	return list
}

func answers(t *testing.T, kills, lane int, rng *rand.Rand) {
	a := newAnswerer(t, kills, rng, lane >= lanes/2)
	points := deathPoints()
	met, at := 0, map[string]int{}
	for kill := range kills {
		switch n := (kill*lanes + lane) % (len(points) + len(points)/4); {
		case n >= len(points):
			a.live(deathPoint{}, time.Duration(rng.IntN(2500))*time.Millisecond)
		case a.live(points[n], 6*time.Second):
			met++
			at[points[n].step]++
		}
		a.check()
		if kill%4 == 3 {
			a.stopped(time.Duration(rng.IntN(2000)) * time.Millisecond)
		}
	}
	for rest := 1; !a.check(); rest++ {
		if rest > 15 { // well before the time limit of all tests, which would tell nothing
			t.Fatalf("%d of %d events are played, unanswered in the end: %v\n%s", a.window().played, a.events, a.open(),
				a.says("status", "drafts list", "judgements", "deadletters list", "conversations list",
					"conversations held", "messages"))
		}
		a.stopped(20 * time.Second)
	}
	a.stopped(3 * time.Second) // nothing is sent again later
	a.check()
	sent, waiting := a.settled()
	t.Logf("%d kills, %d of them at their step; %d questions, %d answers sent, %d shown as waiting or unknown; "+
		"%v", kills, met, a.asked, sent, waiting, at)
	if met < kills/3 {
		t.Errorf("%d of %d kills were at their step, want a third at least: this test shows little", met, kills)
	}
}

// answerer is a kehai that answers, and the chat that it sees.
type answerer struct {
	*crasher
	asked  int // questions in the script
	masked bool
	events int // of the script, until each of the friends was shown once after the last question
}

// newAnswerer makes one; masked says that its model sees no name.
func newAnswerer(t *testing.T, kills int, rng *rand.Rand, masked bool) *answerer {
	t.Helper()
	mask := "cloud"
	if masked {
		mask = "always"
	}
	dir := t.TempDir()
	a := &answerer{crasher: &crasher{t: t, rng: rng, dir: filepath.Join(dir, "data"),
		config: filepath.Join(dir, "kehai.yaml")}, masked: masked}
	script := filepath.Join(dir, "chat.jsonl")
	if kills < 50 {
		a.write(script, a.script(4+2*kills/3))
	} else { // on a slow machine lives are longer
		a.write(script, a.script(4+2*kills))
	}
	a.write(a.config, fmt.Sprintf(`
durability: process
windows: [{name: line, app: line, driver: drawn, script: %s, poll: 50ms, size: [480, 1440]}]
ocr: {engine: drawn}
burst: {quiet: 100ms, cap: 300ms}
dedup: {first_sight: all}
replies: {per_hour: 1000, in_a_row: 1000}
rules: {send: {retry_cap: 3s}}
llm: {per_hour: 10000}
privacy: {mask: %s}
web: {enabled: false}
log: {level: error}
`, script, mask))
	return a
}

// script writes questions of two friends. The window is switched between them at any
// moment of an answer, and in the end shows each of them for a while, and again: on a slow
// machine an answer may need more looks at its chat.
func (a *answerer) script(blocks int) string {
	var b strings.Builder
	shown, other, at := "Hana", "Taro", 0
	add := func(after int, e map[string]any) {
		at += after
		e["at_ms"] = at
		line, err := json.Marshal(e)
		if err != nil {
			a.t.Fatal(err)
		}
		b.Write(append(line, '\n'))
		a.events++
	}
	ask := func(after int, who string) {
		a.asked++
		add(after, map[string]any{"who": "friend", "conversation": who, "text": fmt.Sprintf("%sの質問%dです", who, a.asked)})
	}
	turn := func(after int) {
		shown, other = other, shown
		add(after, map[string]any{"do": "switch", "conversation": shown})
	}
	add(0, map[string]any{"do": "pace", "pace": "reader"})
	for range blocks {
		ask(500+a.rng.IntN(1000), shown)
		if a.rng.IntN(4) == 0 {
			ask(a.rng.IntN(900), other)
		}
		if a.rng.IntN(5) == 0 {
			turn(a.rng.IntN(900))
		}
	}
	needed := a.events + 2
	for range 20 { // at each of them for longer than a reply waits between two attempts
		turn(6000)
	}
	a.events = needed
	return b.String()
}

func (a *answerer) command(at deathPoint, args ...string) *exec.Cmd {
	cmd := a.crasher.command(context.Background(), args...)
	value := "never"
	if at.step != "" {
		value = at.String()
	}
	if a.masked {
		value += maskedModel
	}
	cmd.Env = append(cmd.Env[:len(cmd.Env)-1], answeringEnv+"="+value)
	return cmd
}

// live runs kehai until it has killed itself, or for a time.
func (a *answerer) live(at deathPoint, d time.Duration) (met bool) {
	a.t.Helper()
	var stderr bytes.Buffer
	cmd := a.command(at, "run", "--json")
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		a.t.Fatal(err)
	}
	died := make(chan error, 1)
	go func() { died <- cmd.Wait() }()
	select {
	case <-died:
	case <-time.After(120*time.Millisecond + d):
		if err := cmd.Process.Kill(); err == nil {
			<-died
			return false
		} else if !errors.Is(err, os.ErrProcessDone) { // it met its step at this very moment
			a.t.Fatal(err)
		}
		<-died
	}
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !status.Signaled() || status.Signal() != syscall.SIGKILL {
		a.t.Fatalf("kehai ended by itself (%v):\n%s", cmd.ProcessState, stderr.String())
	}
	return at.step != ""
}

// stopped runs kehai for a time and stops it in order.
func (a *answerer) stopped(d time.Duration) {
	a.t.Helper()
	out, err := a.command(deathPoint{}, "run", "--json", "--for", max(d, time.Millisecond).String()).CombinedOutput()
	if err != nil && !strings.Contains(string(out), "it goes on at the next start") {
		a.t.Fatalf("kehai run --for %v: %v\n%s", d, err, out)
	}
}

// says is what verbs of kehai print, without flags.
func (a *answerer) says(verbs ...string) []byte {
	var all []byte
	for _, v := range verbs {
		out, _ := a.command(deathPoint{}, strings.Fields(v)...).CombinedOutput()
		all = append(append(all, "$ kehai "+v+"\n"...), out...)
	}
	return all
}

// answer is what the scripted model writes.
var answer = regexp.MustCompile(`^(Hana|Taro|Mac[0-9]+)への答え([0-9]+)です$`)

// foreignChat is what the foreign application knows, from its journal.
type foreignChat struct {
	played int              // events of the script
	asked  map[string][]int // numbers of the questions that a friend has asked
	sent   map[string][]int // of the answers that were sent there
	wrong  []string
}

func (a *answerer) window() foreignChat {
	a.t.Helper()
	raw, err := os.ReadFile(filepath.Join(a.dir, "windows", "line.jsonl"))
	if err != nil {
		a.t.Fatal(err)
	}
	c := foreignChat{asked: map[string][]int{}, sent: map[string][]int{}}
	shown := "Hana"
	for i, line := range bytes.Split(raw, []byte("\n")) {
		var e drawn.Change
		if i == 0 || json.Unmarshal(line, &e) != nil { // the last record may be half of one
			continue
		}
		if e.Script != nil {
			c.played = e.Script.Next
		}
		switch e.Op {
		case drawn.OpSwitch:
			shown = e.Conversation
		case drawn.OpAppend:
			m := question.FindStringSubmatch(string(e.Text))
			n, _ := strconv.Atoi(m[2])
			c.asked[e.Conversation] = append(c.asked[e.Conversation], n)
		case drawn.OpSend:
			m := answer.FindStringSubmatch(string(e.Text))
			if m == nil || m[1] != shown {
				c.wrong = append(c.wrong, fmt.Sprintf("%q was sent to %s", string(e.Text), shown))
				continue
			}
			n, _ := strconv.Atoi(m[2])
			c.sent[shown] = append(c.sent[shown], n)
		}
	}
	return c
}

// check looks at what was sent so far, and reports that all is asked and answered.
func (a *answerer) check() bool {
	a.t.Helper()
	c := a.window()
	if len(c.wrong) > 0 {
		a.t.Fatalf("wrong: %q", c.wrong)
	}
	for who, list := range c.sent {
		for i, n := range list {
			if i > 0 && n <= list[i-1] {
				a.t.Fatalf("answers to %s: %v: %d was sent twice, or after a newer one", who, list, n)
			}
		}
	}
	return c.played >= a.events && len(a.open()) == 0
}

// waiting are the answers that kehai shows to the person, by friend.
func (a *answerer) waiting() map[string][]int {
	a.t.Helper()
	out, err := a.command(deathPoint{}, "drafts", "list", "--json").Output()
	if err != nil {
		a.t.Fatalf("kehai drafts: %v", err)
	}
	list := map[string][]int{}
	for dec := json.NewDecoder(bytes.NewReader(out)); dec.More(); {
		var d control.Draft
		if err := dec.Decode(&d); err != nil {
			a.t.Fatal(err)
		}
		if m := answer.FindStringSubmatch(d.Text); m != nil {
			n, _ := strconv.Atoi(m[2])
			list[m[1]] = append(list[m[1]], n)
		}
	}
	return list
}

// open are the questions to which there is no answer, sent or shown. One answers all
// that stand above it.
func (a *answerer) open() (list []int) {
	c, waiting := a.window(), a.waiting()
	for who, asked := range c.asked {
		newest := 0
		for _, n := range append(c.sent[who], waiting[who]...) {
			newest = max(newest, n)
		}
		for _, n := range asked {
			if n > newest {
				list = append(list, n)
			}
		}
	}
	return list
}

func (a *answerer) settled() (sent, waiting int) {
	c, w := a.window(), a.waiting()
	for who := range c.asked {
		sent += len(c.sent[who])
		waiting += len(w[who])
	}
	return sent, waiting
}
