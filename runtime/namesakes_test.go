package runtime_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/testkit"
)

// chats are people in one window, whose texts begin with who they are.
type chats struct {
	*testkit.System
	t    *testing.T
	said map[string]int // by who wrote
}

// text is what somebody writes; nothing that another one writes looks like it.
func text(who string, n int) string {
	if who == "one" {
		return fmt.Sprintf("one %d apples", n)
	}
	return fmt.Sprintf("%s: box number %d is here", who, n)
}

// says lets somebody write, in a chat that is shown, and gives Kehai time to read it.
func (c *chats) says(who string, n int) {
	c.t.Helper()
	for range n {
		c.said[who]++
		c.Friend(who, text(who, c.said[who]))
		c.Advance(3 * time.Second)
	}
}

// call sets what the window calls somebody.
func (c *chats) call(who, title string) {
	c.t.Helper()
	if err := c.Window.Call(who, messages.Text(title)); err != nil {
		c.t.Fatal(err)
	}
}

// show shows somebody's chat for a while.
func (c *chats) show(who string, d time.Duration) {
	c.t.Helper()
	if err := c.Window.Switch(who); err != nil {
		c.t.Fatal(err)
	}
	c.Advance(d)
}

// want checks that nobody's messages are mixed with another one's, and that each one is
// delivered once or held: so many, any number if held is below 0. It returns the ids by who
// wrote.
func (c *chats) want(held int) map[string]messages.ConversationID {
	c.t.Helper()
	c.Advance(20 * time.Second)
	ids, owners, count := map[string]messages.ConversationID{}, map[messages.ConversationID]string{}, map[string]int{}
	for _, m := range c.Messages() {
		for _, p := range m.Parts {
			who, _, _ := strings.Cut(strings.ReplaceAll(string(p.Text), ":", ""), " ")
			if c.said[who] == 0 {
				continue // all of them say it
			}
			count[string(p.Text)]++
			if owner, ok := owners[m.Conversation]; ok && owner != who {
				c.t.Errorf("%q came in the conversation of %s", string(p.Text), owner)
			}
			if id, ok := ids[who]; ok && id != m.Conversation {
				c.t.Errorf("%q came in %s, those before in %s", string(p.Text), m.Conversation, id)
			}
			ids[who], owners[m.Conversation] = m.Conversation, who
		}
	}
	list, err := c.Runtime.Held(context.Background())
	if err != nil {
		c.t.Fatal(err)
	}
	missing := 0
	for who, n := range c.said {
		for i := range n {
			switch said := text(who, i+1); count[said] {
			case 0:
				missing++
				c.t.Logf("not delivered: %q", said)
			case 1:
			default:
				c.t.Errorf("%q came %d times", said, count[said])
			}
		}
	}
	pending := 0
	for _, h := range list {
		pending += h.Count
	}
	if missing != held && held >= 0 || pending < missing {
		c.t.Errorf("%d messages are not delivered, want %d; %d bubbles are held", missing, held, pending)
	}
	return ids
}

func together(t *testing.T, opts ...testkit.Option) *chats {
	return &chats{System: testkit.Start(t, opts...), t: t, said: map[string]int{}}
}

// TestNamesakes: two people of one name in one window are two conversations, whoever is
// shown after whom, also after a crash.
func TestNamesakes(t *testing.T) {
	for _, names := range [][2]string{
		{"Hana", "Hana"}, {"Hana", "Hama"}, {"一郎", "一朗"}, {"l", "I"}, {"Hana", "Hana (3)"}, {"Ana Lee", "AnaLee"},
		{"A", "B"},
	} {
		t.Run(names[0]+" and "+names[1], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				c.call("one", names[0])
				c.call("two", names[1])
				c.says("one", 3)
				c.Me("one", "well, one")
				c.says("two", 2)
				c.says("one", 1)
				c.says("two", 3)
				c.Crash()
				c.says("one", 2)
				c.show("two", time.Minute)
				c.show("one", time.Minute)
				c.says("two", 1)
				if ids := c.want(0); ids["one"] == ids["two"] {
					t.Errorf("both are %s", ids["one"])
				}
			})
		})
	}
}

// misreading changes every third reading of a title.
func misreading(from, to messages.Text) testkit.Option {
	var n atomic.Int32
	return reading(func(title messages.Text) messages.Text {
		if title == from && n.Add(1)%3 == 0 {
			return to
		}
		return title
	})
}

// reading has titles read as a function says.
func reading(as func(messages.Text) messages.Text) testkit.Option {
	return framesRead(func(m *messages.FrameRead) { m.Title.Text = as(m.Title.Text) })
}

// framesRead changes what is read of frames.
func framesRead(as func(*messages.FrameRead)) testkit.Option {
	var mu sync.Mutex
	return testkit.WithRuntime(runtime.WithWorkerWrapper(func(kind string, w actors.Worker) actors.Worker {
		if kind != messages.WorkerOCR {
			return w
		}
		return actors.WorkerFunc(func(ctx context.Context, request messages.Message) (messages.Message, error) {
			out, err := w.Do(ctx, request)
			if read, ok := out.(messages.FrameRead); ok {
				mu.Lock()
				defer mu.Unlock()
				as(&read)
				out = read
			}
			return out, err
		})
	}))
}

// TestATitleThatIsMisread: one conversation, whatever every third reading says, beside
// another whose name is what is read then.
func TestATitleThatIsMisread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := together(t, misreading("Hana", "Hama"))
		c.call("one", "Hana")
		c.call("two", "Hama")
		c.says("one", 8)
		c.says("two", 3)
		for range 4 {
			c.says("one", 2)
			c.says("two", 1)
		}
		if ids := c.want(0); ids["one"] == ids["two"] {
			t.Errorf("both are %s", ids["one"])
		}
	})
}

// TestTitlesInNoise: three chats in one window whose titles are read as each other's, cut, or
// not at all, in a drawn order with a crash. Nothing is mixed, doubled or lost. What cannot be
// told from what is on the screen, as two people who begin with the same words, or one whose
// title was misread at first, is held.
func TestTitlesInNoise(t *testing.T) {
	names := map[string]messages.Text{"one": "Hana", "two": "Hama", "three": "Hanako"}
	who, said, delivered := []string{"one", "two", "three"}, 0, 0
	seeds := uint64(12)
	if testing.Short() {
		seeds = 3
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rng, noise := rand.New(rand.NewPCG(seed, 5)), rand.New(rand.NewPCG(seed, 6))
				c := together(t, reading(func(title messages.Text) messages.Text {
					switch n := noise.IntN(20); {
					case n < 3:
						return names[who[n]]
					case n == 3:
						return ""
					case n == 4 && title != "":
						return title[:len(title)-1]
					}
					return title
				}))
				for _, w := range who {
					c.call(w, string(names[w]))
				}
				for n := range 24 {
					c.says(who[rng.IntN(3)], 1+rng.IntN(2))
					if n == 12 {
						c.Crash()
					}
				}
				for _, w := range who { // what was held goes on once it is sure
					c.show(w, time.Minute)
				}
				ids := c.want(-1)
				if ids["one"] == ids["two"] || ids["one"] == ids["three"] || ids["two"] == ids["three"] {
					t.Errorf("ids %v, want one each", ids)
				}
				for _, m := range c.Messages() {
					delivered += len(m.Parts)
				}
				for _, n := range c.said {
					said += n
				}
			})
		})
	}
	if delivered < said*3/4 {
		t.Errorf("%d of %d messages are delivered, the others held: want three of four", delivered, said)
	}
}

// TestTheSameGreeting: people whom our side greets with the same words, and thanks for the
// same answer, are as many conversations.
func TestTheSameGreeting(t *testing.T) {
	for _, names := range [][3]string{{"Hana", "Ken Mori", "Tanaka Aoi"}, {"Hana", "Hama", "Hanna"}} {
		t.Run(names[1], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				for i, who := range []string{"one", "two", "three"} {
					c.call(who, names[i])
					c.Me(who, "Nice to meet you, shall we talk?")
					c.Advance(10 * time.Second)
					c.Friend(who, "With pleasure")
					c.Advance(10 * time.Second)
				}
				for _, who := range []string{"one", "two", "three", "one", "two", "three"} {
					c.says(who, 2)
				}
				ids := c.want(-1)
				if len(ids) < 3 || ids["one"] == ids["two"] || ids["two"] == ids["three"] ||
					ids["one"] == ids["three"] {
					t.Errorf("they are %v, want one each", ids)
				}
			})
		})
	}
}

// TestARenameInTheApplication: the same bubbles under a title of nobody's are the same
// conversation, which has another name from then on.
func TestARenameInTheApplication(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := together(t)
		c.call("one", "Hana")
		c.says("one", 3)
		c.Me("one", "who are you?")
		c.Advance(5 * time.Second)
		c.call("one", "Satou Kenji")
		c.says("one", 3)
		c.show("Aoi", 10*time.Second)
		c.says("one", 2)
		ids := c.want(0)
		if called := c.Runtime.Called(ids["one"]); called != "line:Satou Kenji" {
			t.Errorf("it is called %s, want by its new name", called)
		}
	})
}

// TestAPageOfANamesake: a full page under a known name that shares nothing with what was
// shown a moment ago is held, and not lost, until it goes on or a person decides.
func TestAPageOfANamesake(t *testing.T) {
	for _, decides := range []string{"it goes on", "somebody new"} {
		t.Run(decides, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				c.call("one", "Hana")
				c.call("two", "Hana")
				c.says("one", 14)
				for i := range 14 { // while the other one is shown
					c.said["two"]++
					change := drawn.Change{Op: drawn.OpAppend, Conversation: "two", Who: drawn.Friend,
						Text: messages.Text(text("two", i+1))}
					if err := c.Window.Apply(change); err != nil {
						t.Fatal(err)
					}
				}
				c.show("two", 10*time.Second)
				list, err := c.Runtime.Held(context.Background())
				if err != nil || len(list) != 1 || list[0].Title != "Hana" || len(list[0].Of) != 1 {
					t.Fatalf("Held() = %+v, %v, want one page", list, err)
				}
				above := 14 - list[0].Count // were never shown
				if decides == "it goes on" {
					c.says("two", 1)
				} else if err := c.Runtime.SettleHeld(context.Background(), list[0].ID, ""); err != nil {
					t.Fatal(err)
				}
				c.Advance(20 * time.Second)
				c.said["two"] -= above
				for _, m := range c.Messages() {
					for _, p := range m.Parts {
						who, _, _ := strings.Cut(strings.ReplaceAll(string(p.Text), ":", ""), " ")
						if first := c.Messages()[0].Conversation; (m.Conversation == first) != (who == "one") {
							t.Errorf("%q came in %s, those of one in %s", string(p.Text), m.Conversation, first)
						}
					}
				}
				if list, err := c.Runtime.Held(context.Background()); err != nil || len(list) > 0 {
					t.Errorf("Held() = %+v, %v, want nothing once it is decided", list, err)
				}
			})
		})
	}
}

// TestChangesWhileWatched: what stands in the place of a message that the window showed
// just now is that message, edited or taken back, whatever else it shows; after the
// window was gone it is somebody else's.
func TestChangesWhileWatched(t *testing.T) {
	for _, c := range []struct {
		name    string
		said    []string
		changes []drawn.Change
		want    string
	}{
		{"the only one is edited", []string{"Lunch at one?"}, []drawn.Change{
			{Op: drawn.OpEdit, Text: "We take the train"}}, "edited"},
		{"one is edited and one taken back", []string{"Lunch at one?", "OK"}, []drawn.Change{
			{Op: drawn.OpEdit, Text: "Dinner at seven tomorrow"}, {Op: drawn.OpUnsend, Index: 1}}, "edited unsent"},
		{"another's after the window was gone", []string{"Lunch at one?"}, []drawn.Change{
			{Op: drawn.OpHide}, {Op: drawn.OpEdit, Text: "We take the train"}, {Op: drawn.OpShow}}, "new"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Start(t)
				s.Friend("Hana", c.said...)
				s.Advance(8 * time.Second)
				if len(c.said) > 1 {
					s.Me("Hana", "Sure")
				}
				s.Advance(8 * time.Second)
				for _, change := range c.changes {
					if err := s.Window.Apply(change); err != nil {
						t.Fatal(err)
					}
					if change.Op == drawn.OpHide {
						s.Advance(3 * time.Second)
					}
				}
				s.Advance(15 * time.Second)
				ids := map[messages.ConversationID]bool{}
				var got []string
				for _, ev := range s.Events() {
					switch m := ev.(type) {
					case messages.MessageDelivered:
						ids[m.Conversation] = true
					case messages.MessageChanged:
						got = append(got, string(m.Kind))
					}
				}
				if len(ids) == 2 {
					got = append(got, "new")
				}
				if got := strings.Join(got, " "); got != c.want {
					t.Errorf("seen as %q in %d conversations, want %q", got, len(ids), c.want)
				}
			})
		})
	}
}
