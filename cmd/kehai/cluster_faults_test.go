//go:build crash

package main

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// TestClusterFaults lets three real kehais work as one while machines are killed, put to sleep,
// cut off, slowed down and replaced, and three clients talk to them, each with the machine that
// answers it. Whatever a client was told to be stored is there once, in its order, on all
// machines; each question was answered, and no answer was sent twice. KEHAI_FAULTS=n sets how many
// faults there are, KEHAI_SEED=n their order; KEHAI_LOOPBACK=1 does without network namespaces.
func TestClusterFaults(t *testing.T) {
	faults := envInt(t, "KEHAI_FAULTS", len(clusterFaults))
	seed := uint64(envInt(t, "KEHAI_SEED", int(time.Now().UnixNano()%1e9)))
	t.Logf("seed %d: repeat the order of the faults with KEHAI_SEED=%d", seed, seed)
	c := newMachines(t, rand.New(rand.NewPCG(seed, 0)), faults)
	c.found()
	var order []int
	for n := range faults {
		if len(order) == 0 {
			order = c.rng.Perm(len(clusterFaults))
		}
		f := clusterFaults[order[0]]
		order = order[1:]
		if n > 0 && n%clusterTalk == 0 {
			c.settled()
			c.newTalks(n / clusterTalk)
		}
		victim := c.leader()
		if follower := (n+n/len(clusterFaults))%2 == 0; follower {
			victim = (victim + 1 + c.rng.IntN(2)) % len(c.all)
			f.name += ", a follower"
		} else {
			f.name += ", the leader"
		}
		c.strike(f, victim)
	}
	c.settled()
	t.Log(c.report())
}

// clusterTalk is after how many faults clients begin new conversations: Kehai answers a thousand
// times in a row at most, and keeps 500 messages of each side, of which a new machine gets no more.
const clusterTalk = 10

// clusterFault is what is done to a machine, for how long at least, and how it ends.
type clusterFault struct {
	name string
	do   func(c *machines, victim int)
	last time.Duration
	end  func(c *machines, victim int)
}

var clusterFaults = []clusterFault{
	{"killed, started again", (*machines).kill, time.Second, (*machines).start},
	{"stopped, started again", (*machines).stop, time.Second, (*machines).start},
	{"killed, replaced by a new one", (*machines).kill, 0, (*machines).replace},
	{"asleep for 8 s", func(c *machines, i int) { c.signal(i, syscall.SIGSTOP) }, 8 * time.Second,
		func(c *machines, i int) { c.signal(i, syscall.SIGCONT) }},
	{"cut off", func(c *machines, i int) { c.link(i, severed, severed) }, 4 * time.Second, (*machines).heal},
	{"not heard", func(c *machines, i int) { c.link(i, severed, link{}) }, 4 * time.Second, (*machines).heal},
	{"hears nobody", func(c *machines, i int) { c.link(i, link{}, severed) }, 4 * time.Second, (*machines).heal},
	{"300 ms late, 5 % lost", func(c *machines, i int) {
		c.link(i, link{delay: 300 * time.Millisecond, loss: 0.05}, link{})
	}, 5 * time.Second, (*machines).heal},
}

var severed = link{cut: true}

// machines are a cluster of processes, and clients that talk to it.
type machines struct {
	t     *testing.T
	rng   *rand.Rand
	net   faultNet
	links *links
	dir   string
	auto  []string // conversations in which it answers by itself
	all   []*machine
	talks []*client

	acting map[string][]time.Duration // by fault: from its beginning until all clients were served again
}

type machine struct {
	name, data, config string
	cmd                *exec.Cmd // nil: does not run
	died               chan error
	stderr             *bytes.Buffer // of its last life
}

func newMachines(t *testing.T, rng *rand.Rand, faults int) *machines {
	t.Helper()
	c := &machines{t: t, rng: rng, links: &links{at: map[[2]int]link{}}, dir: t.TempDir(),
		acting: map[string][]time.Duration{}}
	const size = 3
	net, err := newSpaces(t, c.links, size)
	if err != nil || os.Getenv("KEHAI_LOOPBACK") != "" {
		t.Log(err)
		net = newProxied(t, c.links, size)
	}
	c.net = net
	t.Logf("%d machines: %s", size, net)
	for round := range faults/clusterTalk + 1 {
		for i := range size {
			c.auto = append(c.auto, strconv.Quote("web:"+talkName(i, round)))
		}
	}
	for i := range size {
		c.all = append(c.all, &machine{name: "mac-" + string(rune('a'+i)),
			data:   filepath.Join(c.dir, fmt.Sprint("data-", i)),
			config: filepath.Join(c.dir, fmt.Sprintf("kehai-%d.yaml", i))})
		c.configure(i)
	}
	t.Cleanup(func() {
		for _, cl := range c.talks {
			cl.stop()
		}
		for _, m := range c.all {
			if m.cmd != nil {
				_ = m.cmd.Process.Kill()
				<-m.died
			}
			if t.Failed() && m.stderr != nil {
				t.Logf("%s said:\n%s", m.name, m.stderr.String())
			}
		}
	})
	return c
}

func (c *machines) configure(i int) {
	m := c.all[i]
	text := fmt.Sprintf(`
node: %s
windows: []
cluster: {listen: %q}
burst: {quiet: 100ms, cap: 300ms}
replies: {policy: auto, auto: [%s], per_hour: 1000, in_a_row: 1000}
llm: {per_hour: 10000}
web: {enabled: false}
log: {level: error}
`, m.name, c.net.address(i), strings.Join(c.auto, ", "))
	if err := os.WriteFile(m.config, []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// command is a verb of kehai on a machine.
func (c *machines) command(i int, args ...string) *exec.Cmd {
	m := c.all[i]
	cmd := exec.Command(os.Args[0], append([]string{"--config", m.config, "--data", m.data}, args...)...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "KEHAI_") { // those are the test's own
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, answeringEnv+"=never")
	c.net.place(i, cmd)
	return cmd
}

func (c *machines) run(i int, args ...string) {
	c.t.Helper()
	if out, err := c.command(i, args...).CombinedOutput(); err != nil {
		c.t.Fatalf("kehai %q on %s: %v\n%s", args, c.all[i].name, err, out)
	}
}

// found begins the cluster, and has clients talk to it.
func (c *machines) found() {
	c.t.Helper()
	c.run(0, "cluster", "init")
	c.start(0)
	for i := 1; i < len(c.all); i++ {
		c.enter(i)
	}
	c.ready()
	c.newTalks(0)
}

// enter lets a machine with nothing on it join, and starts it.
func (c *machines) enter(i int) {
	c.t.Helper()
	host := (i + len(c.all) - 1) % len(c.all)
	var code string
	c.until("an invitation", func() error {
		return c.ask(host, func(ctx context.Context, k *control.Client) error {
			inv, err := k.Invite(ctx)
			code = inv.Code
			return err
		})
	})
	c.run(i, "cluster", "join", code)
	c.start(i)
}

func (c *machines) start(i int) {
	c.t.Helper()
	m := c.all[i]
	m.cmd, m.died = c.command(i, "run", "--json"), make(chan error, 1)
	m.stderr = new(bytes.Buffer)
	m.cmd.Stderr = m.stderr
	if err := m.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	cmd := m.cmd
	go func() { m.died <- cmd.Wait() }()
}

func (c *machines) signal(i int, s syscall.Signal) {
	c.t.Helper()
	if err := c.all[i].cmd.Process.Signal(s); err != nil {
		c.t.Fatalf("%s has ended by itself: %v", c.all[i].name, err)
	}
}

func (c *machines) kill(i int) {
	c.t.Helper()
	c.signal(i, syscall.SIGKILL)
	<-c.all[i].died
	c.all[i].cmd = nil
}

func (c *machines) stop(i int) {
	c.t.Helper()
	m := c.all[i]
	c.signal(i, syscall.SIGTERM)
	err := <-m.died
	m.cmd = nil
	if err != nil && !strings.Contains(m.stderr.String(), "it goes on at the next start") {
		c.t.Fatalf("%s, told to stop: %v\n%s", m.name, err, m.stderr.String())
	}
}

// replace takes a machine whose disk is lost out of the cluster, and lets a new one in.
func (c *machines) replace(i int) {
	c.t.Helper()
	m, host := c.all[i], (i+len(c.all)-1)%len(c.all)
	c.until(m.name+" out of the cluster", func() error {
		return c.ask(host, func(ctx context.Context, k *control.Client) error { return k.Expel(ctx, m.name) })
	})
	if err := os.RemoveAll(m.data); err != nil {
		c.t.Fatal(err)
	}
	for _, cl := range c.talks {
		delete(cl.checked, i)
	}
	c.enter(i)
}

// link sets how what a machine says, and what it hears, fares.
func (c *machines) link(i int, says, hears link) {
	for j := range c.all {
		if j != i {
			c.links.set(i, j, says)
			c.links.set(j, i, hears)
		}
	}
}

func (c *machines) heal(int) { c.links.heal() }

// ask asks a machine once.
func (c *machines) ask(i int, do func(context.Context, *control.Client) error) error {
	ctx, done := context.WithTimeout(context.Background(), 20*time.Second)
	defer done()
	k, err := control.Dial(ctx, c.all[i].data)
	if err != nil {
		return err
	}
	defer k.Close()
	return do(ctx, k)
}

// until tries until there is no error.
func (c *machines) until(what string, try func() error) {
	c.t.Helper()
	for end := time.Now().Add(3 * time.Minute); ; <-time.After(50 * time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		for _, m := range c.all {
			if m.cmd == nil {
				continue
			}
			select {
			case died := <-m.died:
				m.cmd = nil
				c.t.Fatalf("%s ended by itself: %v\n%s", m.name, died, m.stderr.String())
			default:
			}
		}
		if time.Now().After(end) {
			c.t.Fatalf("no %s: %v\n%s", what, err, c.statuses())
		}
	}
}

// statuses are what the machines that run know of the cluster.
func (c *machines) statuses() string {
	var b strings.Builder
	for i, m := range c.all {
		if m.cmd == nil {
			fmt.Fprintf(&b, "%s does not run\n", m.name)
			continue
		}
		err := c.ask(i, func(ctx context.Context, k *control.Client) error {
			s, err := k.Cluster(ctx)
			fmt.Fprintf(&b, "%s: %+v\n", m.name, s)
			return err
		})
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", m.name, err)
		}
	}
	return b.String()
}

// ready waits until all machines see all others.
func (c *machines) ready() {
	c.t.Helper()
	for i, m := range c.all {
		c.until(m.name+" that sees all others", func() error {
			return c.ask(i, func(ctx context.Context, k *control.Client) error {
				s, err := k.Cluster(ctx)
				up := slices.DeleteFunc(slices.Clone(s.Members), func(m control.ClusterMember) bool {
					return !m.Up || m.Role != "voter"
				})
				if err == nil && (!s.Ready || len(up) < len(c.all)) {
					err = fmt.Errorf("%+v", s)
				}
				return err
			})
		})
	}
}

// leader is the machine that leads.
func (c *machines) leader() (i int) {
	c.t.Helper()
	c.until("leader", func() error {
		return c.ask(0, func(ctx context.Context, k *control.Client) error {
			s, err := k.Cluster(ctx)
			i = slices.IndexFunc(c.all, func(m *machine) bool { return m.name == s.Leader })
			if err == nil && i < 0 {
				err = fmt.Errorf("%+v", s)
			}
			return err
		})
	})
	return i
}

// strike does something to a machine while clients talk, ends that, and looks at what they were
// told.
func (c *machines) strike(f clusterFault, victim int) {
	c.t.Helper()
	began := time.Now()
	f.do(c, victim)
	c.until("service while "+f.name, func() error {
		for _, cl := range c.talks {
			if cl.served().Before(began) {
				return fmt.Errorf("%s is not served: %v", cl.name, cl.trouble())
			}
		}
		return nil
	})
	acting := time.Duration(0)
	for _, cl := range c.talks {
		acting = max(acting, cl.since(began))
	}
	c.acting[f.name] = append(c.acting[f.name], acting)
	<-time.After(time.Until(began.Add(f.last)))
	f.end(c, victim)
	c.ready()
	for _, cl := range c.talks {
		for i := range c.all {
			c.check(cl, i)
		}
	}
	c.t.Logf("%s (%s): all clients were served again after %v", f.name, c.all[victim].name,
		acting.Round(time.Millisecond))
}

// talkName is what a client is called in a round.
func talkName(client, round int) string { return fmt.Sprintf("Mac%d", client+10*round) }

// newTalks begins a conversation for each client, in place of what it had.
func (c *machines) newTalks(round int) {
	c.t.Helper()
	var old []*client
	old, c.talks = c.talks, nil
	for i := range c.all {
		cl := &client{c: c, name: talkName(i, round), at: i, stopped: make(chan struct{}), ended: make(chan struct{}),
			checked: map[int]checked{}, saw: map[string]int{}}
		if len(old) > 0 {
			cl.saw, cl.waits = old[i].saw, old[i].waits
		}
		c.until("conversation", func() error {
			return c.ask(i, func(ctx context.Context, k *control.Client) (err error) {
				cl.id, err = k.Begin(ctx, control.Begin{Name: cl.name})
				return err
			})
		})
		c.talks = append(c.talks, cl)
		go cl.talk()
	}
}

// settled ends the talks, and waits until all that was asked is answered, as all machines have it.
func (c *machines) settled() {
	c.t.Helper()
	for _, cl := range c.talks {
		cl.stop()
	}
	for _, cl := range c.talks {
		for i, m := range c.all {
			c.until(fmt.Sprintf("end of the talk with %s at %s", cl.name, m.name), func() error {
				got := c.check(cl, i)
				if got.asked < cl.n || got.answered < cl.n {
					return fmt.Errorf("%d questions, the last answered is %d, want %d", got.asked, got.answered, cl.n)
				}
				return nil
			})
		}
	}
	for i, m := range c.all {
		err := c.ask(i, func(ctx context.Context, k *control.Client) error {
			dead, err := k.DeadLetters(ctx)
			if len(dead) > 0 {
				c.t.Errorf("%s has dead letters: %+v", m.name, dead)
			}
			return err
		})
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// checked is how far a talk was looked at: the numbers of the last question and answer.
type checked struct {
	asked, answered int
	place           messages.Occurrence
}

// check looks at what a machine has of a talk: questions once and in their order, answers once.
func (c *machines) check(cl *client, i int) checked {
	c.t.Helper()
	for c.checkSome(cl, i) {
	}
	return cl.checked[i]
}

// checkSome is check of the next messages, and reports whether there are more: a new machine has all of a long talk
// before it.
func (c *machines) checkSome(cl *client, i int) (more bool) {
	c.t.Helper()
	at := cl.checked[i]
	var talk control.Talk
	c.until("talk", func() error {
		return c.ask(i, func(ctx context.Context, k *control.Client) (err error) {
			talk, err = k.Talk(ctx, cl.id, control.TalkQuery{After: at.place, Limit: 500})
			return err
		})
	})
	for _, m := range talk.Messages {
		re, last := question, &at.asked
		if m.Role == control.RoleAssistant {
			re, last = answer, &at.answered
		}
		found := re.FindStringSubmatch(m.Content)
		if found == nil || found[1] != cl.name {
			c.t.Fatalf("%s: %q in the talk with %s", c.all[i].name, m.Content, cl.name)
		}
		n, _ := strconv.Atoi(found[2])
		if m.Role == control.RoleUser && n != *last+1 || n <= *last {
			c.t.Fatalf("%s, in the talk with %s: %q after number %d, want each once and in order: %+v", c.all[i].name,
				cl.name, m.Content, *last, talk.Messages)
		}
		*last, at.place = n, m.Place
	}
	cl.checked[i] = at
	return talk.More
}

// client asks one question after the other, each until it is stored: at the machine that answered
// it last, or else at the others.
type client struct {
	c       *machines
	name    string
	id      messages.ConversationID
	at      int
	checked map[int]checked // by machine
	stopped chan struct{}
	ended   chan struct{}
	once    sync.Once

	mu    sync.Mutex
	n     int            // the last that is stored
	saw   map[string]int // what it was told instead, how often
	waits []time.Duration
	acks  []ack
	last  error
}

// ack is when a question was begun, and stored.
type ack struct{ began, stored time.Time }

func (cl *client) talk() {
	defer close(cl.ended)
	for n := 1; ; n++ {
		began := time.Now()
		for !cl.ask(n) {
			select {
			case <-cl.stopped:
				return
			case <-time.After(20 * time.Millisecond):
			}
			cl.at = (cl.at + 1) % len(cl.c.all)
		}
		stored := time.Now()
		cl.mu.Lock()
		cl.n, cl.last = n, nil
		cl.waits, cl.acks = append(cl.waits, stored.Sub(began)), append(cl.acks, ack{began, stored})
		cl.mu.Unlock()
		select {
		case <-cl.stopped:
			return
		case <-time.After(400 * time.Millisecond):
		}
	}
}

// ask asks a question at one machine.
func (cl *client) ask(n int) bool {
	ctx, done := context.WithTimeout(context.Background(), 2*time.Second)
	defer done()
	k, err := control.Dial(ctx, cl.c.all[cl.at].data)
	if err == nil {
		defer k.Close()
		say := control.Say{Text: fmt.Sprintf("%sの質問%dです", cl.name, n), Key: fmt.Sprint(n)}
		_, err = k.Say(ctx, cl.id, say)
	}
	if err != nil {
		cl.mu.Lock()
		defer cl.mu.Unlock()
		cl.last = err
		cl.saw[kindOf(ctx, err)]++
	}
	return err == nil
}

// kindOf is an error without what is of one time only.
func kindOf(ctx context.Context, err error) string {
	if ctx.Err() != nil {
		return "no answer within 2 s"
	}
	text := err.Error()
	if i := strings.Index(text, os.TempDir()); i >= 0 {
		text = text[:i] + "…" + text[strings.LastIndexByte(text, '/'):]
	}
	return text
}

// stop ends the talk; a question that is not stored yet may come to be, so it counts as asked only
// if it was.
func (cl *client) stop() {
	cl.once.Do(func() { close(cl.stopped) })
	<-cl.ended
}

// served is when the newest stored question was begun.
func (cl *client) served() time.Time {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if len(cl.acks) == 0 {
		return time.Time{}
	}
	return cl.acks[len(cl.acks)-1].began
}

// since is how long after a moment the first question was stored that was begun then or later.
func (cl *client) since(moment time.Time) time.Duration {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	i := slices.IndexFunc(cl.acks, func(a ack) bool { return !a.began.Before(moment) })
	return cl.acks[i].stored.Sub(moment)
}

func (cl *client) trouble() error {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	return cl.last
}

// report says how long machines did not act, and what clients saw.
func (c *machines) report() string {
	var b bytes.Buffer
	w := tabwriter.NewWriter(&b, 0, 4, 2, ' ', 0)
	fmt.Fprintf(w, "\nfault\ttimes\tacting again: median\tworst\n")
	for _, name := range slices.Sorted(maps.Keys(c.acting)) {
		list := slices.Sorted(slices.Values(c.acting[name]))
		fmt.Fprintf(w, "%s\t%d\t%v\t%v\n", name, len(list), list[len(list)/2].Round(time.Millisecond),
			list[len(list)-1].Round(time.Millisecond))
	}
	w.Flush()
	saw, waits := map[string]int{}, []time.Duration(nil)
	for _, cl := range c.talks {
		waits = append(waits, cl.waits...)
		for what, n := range cl.saw {
			saw[what] += n
		}
	}
	slices.Sort(waits)
	fmt.Fprintf(&b, "%d questions stored, half of them within %v, the slowest after %v; clients were told instead:\n",
		len(waits), waits[len(waits)/2].Round(time.Millisecond), waits[len(waits)-1].Round(time.Millisecond))
	for _, what := range slices.Sorted(maps.Keys(saw)) {
		fmt.Fprintf(&b, "%6d  %s\n", saw[what], what)
	}
	return b.String()
}
