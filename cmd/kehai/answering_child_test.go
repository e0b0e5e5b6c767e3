package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
)

// answeringEnv makes the test binary a kehai with a scripted model. Its value is a
// [deathPoint], or "never"; then maskedModel if the model must see no name.
const (
	answeringEnv = "KEHAI_ANSWERING_TEST"
	maskedModel  = " masked"
)

// proxyEnv has that kehai reach the others of its cluster through a proxy: its address, and a
// number that tells this machine from the others.
const proxyEnv = "KEHAI_TEST_PROXY"

func answeringChild() int {
	where, masked := strings.CutSuffix(os.Getenv(answeringEnv), maskedModel)
	at := parseDeathPoint(where)
	os.Unsetenv(answeringEnv) // kehai knows no such variable, and says so
	if via := os.Getenv(proxyEnv); via != "" {
		os.Unsetenv(proxyEnv)
		dialMembers = throughProxy(via)
	}
	return Main(os.Args[1:], os.Stdout, os.Stderr,
		runtime.WithLLM(scripted{masked}), runtime.WithLocalLLM(),
		runtime.WithStoreWrapper(func(s engine.Store) engine.Store { return deadlyStore{s, at} }),
		runtime.WithWorkerWrapper(func(kind string, w actors.Worker) actors.Worker {
			return deadlyWorker{w, kind, at}
		}))
}

// throughProxy connects a machine with the others through a proxy.
func throughProxy(value string) func(ctx context.Context, network, address string) (net.Conn, error) {
	proxy, machine, _ := strings.Cut(value, " ")
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, proxy)
		if err == nil {
			_, err = fmt.Fprintf(c, "%s %s\n", machine, address)
		}
		return c, err
	}
}

// deathPoint is where a kehai kills itself: before or after the nth step of a kind, "in"
// for writes of an actor's rows, else a worker's kind.
type deathPoint struct {
	step  string // such as "in outbound", or "hands"
	nth   int32
	after bool
	met   *atomic.Int32
}

func (d deathPoint) String() string { return fmt.Sprintf("%s/%d/%v", d.step, d.nth, d.after) }

func parseDeathPoint(s string) deathPoint {
	d := deathPoint{met: new(atomic.Int32)}
	if part := strings.Split(s, "/"); len(part) == 3 {
		n, _ := strconv.Atoi(part[1])
		d.step, d.nth, d.after = part[0], int32(n), part[2] == "true"
	}
	return d
}

// around does a step, and dies there if it is the one.
func (d deathPoint) around(step string, do func()) {
	fatal := d.step == step && d.met.Add(1) == d.nth
	if fatal && !d.after {
		die()
	}
	do()
	if fatal {
		die()
	}
}

// die is a SIGKILL: nothing is finished or closed.
func die() {
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {}
}

// deadlyStore dies beside a write of an actor.
type deadlyStore struct {
	engine.Store
	at deathPoint
}

func (s deadlyStore) Apply(ops []engine.Op, sync bool) (err error) {
	do := func() { err = s.Store.Apply(ops, sync) }
	kind, in := strings.CutPrefix(s.at.step, "in ")
	rows := []byte("s/" + kind + "/")
	if in && slices.ContainsFunc(ops, func(op engine.Op) bool { return bytes.Contains(op.Key, rows) }) {
		s.at.around(s.at.step, do)
		return err
	}
	do()
	return err
}

// deadlyWorker dies beside a call.
type deadlyWorker struct {
	actors.Worker
	kind string
	at   deathPoint
}

func (w deadlyWorker) Do(ctx context.Context, m messages.Message) (answer messages.Message, err error) {
	w.at.around(w.kind, func() { answer, err = w.Worker.Do(ctx, m) })
	return answer, err
}

// question is what friends ask in the test; where a model sees masks, the name is one.
var question = regexp.MustCompile(`(Hana|Taro|Mac[0-9]+|\[[^\[\]]+\])の質問([0-9]+)です`)

// scripted is a model that answers the newest question that it is shown.
type scripted struct{ masked bool }

func (s scripted) Generate(_ context.Context, q runtime.LLMQuestion) (runtime.LLMReply, error) {
	if q.Purpose == "judge" {
		return runtime.LLMReply{Text: `{"should_respond": true, "confidence": 0.9, "reason": "asked"}`}, nil
	}
	newest, to := 0, "nobody"
	for _, m := range question.FindAllStringSubmatch(q.Prompt, -1) {
		if n, _ := strconv.Atoi(m[2]); n > newest {
			newest, to = n, m[1]
		}
	}
	if s.masked && strings.Contains(q.Prompt, "Hana") {
		to = "unmasked" // which is an answer to nobody
	}
	return runtime.LLMReply{Text: fmt.Sprintf("%sへの答え%dです", to, newest), Model: "scripted"}, nil
}
