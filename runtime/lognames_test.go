package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/testkit"
)

// logBook keeps all that a runtime and its system log.
type logBook struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBook) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBook) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// option logs everything there is to log.
func (l *logBook) option() testkit.Option {
	log := zerolog.New(l).Level(zerolog.TraceLevel)
	return testkit.WithRuntime(runtime.WithLogger(log), runtime.WithEventLog(log))
}

// has fails unless the log holds these words.
func (l *logBook) has(t *testing.T, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(l.String(), w) {
			t.Errorf("the log does not hold %q", w)
		}
	}
}

// lacks fails for each line that holds one of these words.
func (l *logBook) lacks(t *testing.T, words ...string) {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		for _, w := range words {
			if strings.Contains(line, w) {
				t.Errorf("the log holds %q: %s", w, line)
			}
		}
	}
}

// failing is an actor of a host that names a friend in what it says.
type failing struct{}

func (failing) Receive(turn *actors.Turn, m messages.Message) error {
	if _, ok := m.(messages.Started); ok {
		return nil
	}
	if turn.Cause().Attempt%2 == 0 {
		panic("no reply for " + turn.Self().Key())
	}
	return errors.New("row " + turn.Self().Key() + " of " + string(turn.Self()) + " is broken")
}

// aday runs what a log may tell of: messages, echoes, repeats, a scroll, frames
// that are not read, crashes, failures of actors.
func aday(t *testing.T, opts ...testkit.Option) *testkit.System {
	opts = append(opts, testkit.WithRuntime(runtime.WithActor(engine.Kind{
		Name: "crm", New: func(messages.Address) actors.Actor { return failing{} },
	})))
	s := testkit.Start(t, opts...)
	ctx := context.Background()
	s.Friend("Hanako", "おはよう", "kaimono")
	s.Advance(5 * time.Second)
	s.Me("Hanako", "あとでね")
	s.Friend("Kentaro", "やあ", "やあ")
	s.Advance(5 * time.Second)
	s.Crash()
	s.Friend("Hanako", "kaimono")
	s.Advance(5 * time.Second)
	hana, ken := string(s.ID("Hanako")), s.ID("Kentaro")
	for _, to := range []messages.Address{messages.To("conversation", hana), "crm/line:Hanako", "crm/Kentaro",
		"fusion/line@test"} {
		if err := s.Runtime.Inject(ctx, to, messages.LedgerDue{}, ""); err != nil {
			t.Fatal(err)
		}
	}
	sent := messages.TextSent{Conversation: ken, Text: "返事", Trace: "t9", At: time.Now()}
	for _, to := range []messages.Address{messages.To("ingress", string(ken)), "ingress/line:Hanako",
		"fusion/line@test"} {
		if err := s.Runtime.Inject(ctx, to, sent, ""); err != nil {
			t.Fatal(err)
		}
	}
	s.Me("Kentaro", "返事")
	s.Advance(5 * time.Second)
	s.Friend("Kentaro", "はい")
	s.Advance(5 * time.Second)
	s.Window.Hide()
	s.Advance(5 * time.Second)
	s.Window.Show()
	s.Advance(5 * time.Minute)
	s.Restart()
	return s
}

var (
	friends = []string{"Hanako", "Kentaro"}
	said    = []string{"おはよう", "kaimono", "あとでね", "やあ", "返事", "はい"}
)

func TestTheLogNamesNobodyAndQuotesNothing(t *testing.T) {
	for _, profile := range []string{config.ProfileDefault, config.ProfileSeed} {
		t.Run(profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var book logBook
				s := aday(t, book.option(), testkit.WithConfig(func(c *config.Config) { c.SetProfile(profile) }))
				book.lacks(t, friends...)
				book.lacks(t, said...)
				id, hana := string(s.ID("Hanako")), s.Runtime.LogName("line:Hanako")
				if s.Runtime.LogName(s.ID("Hanako")) != id {
					t.Errorf("LogName(%s) = %q, want the id, which tells nothing", id,
						s.Runtime.LogName(s.ID("Hanako")))
				}
				if !strings.HasPrefix(hana, "line:#") || len(hana) < 20 {
					t.Fatalf("LogName(line:Hanako) = %q, want line:# and a hash", hana)
				}
				book.has(t, `"message":"message_delivered"`, `"message":"message_failed"`,
					`"message":"message_quarantined"`, `"message":"actor_restarted"`, `"message":"dropped"`,
					`"message":"passed"`, `"message":"call_finished"`,
					`"conversation":"`+id+`"`, `"actor":"conversation/`+id+`"`,
					"row "+hana+" of crm/"+hana+" is broken")
			})
		})
	}
}

func TestTheLogWithTexts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var book logBook
		s := aday(t, book.option(), testkit.WithConfig(func(c *config.Config) { c.Debug.Text = true }))
		book.has(t, `"actor":"crm/line:Hanako"`, `"actor":"conversation/`+string(s.ID("Kentaro"))+`"`,
			`"text":"おはよう\nkaimono"`)
	})
}

// What the log calls a conversation can be looked up, also after a restart.
func TestNamesInTheLogCanBeLookedUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var book logBook
		s := testkit.Start(t, book.option())
		s.Friend("Hanako", "おはよう")
		s.WantMessages("おはよう")
		before := s.Runtime.LogName(s.ID("Hanako"))
		s.Crash()
		s.Advance(time.Second)
		if after := s.Runtime.LogName(s.ID("Hanako")); after != before {
			t.Errorf("LogName after a restart = %q, want %q as before", after, before)
		}
		var shown []control.Entry
		err := s.Runtime.Backend().Timeline(context.Background(), control.Query{}, func(e control.Entry) error {
			shown = append(shown, e)
			return nil
		})
		if err != nil || len(shown) != 1 || shown[0].LoggedAs != before {
			t.Errorf("Timeline() = %+v, %v, want one that is logged as %q", shown, err, before)
		}
		var line struct{ Message, Conversation string }
		for l := range strings.Lines(book.String()) {
			if json.Unmarshal([]byte(l), &line); line.Message == "message_delivered" {
				break
			}
		}
		if line.Conversation != before {
			t.Errorf("the log calls the conversation %q, want %q", line.Conversation, before)
		}
	})
}
