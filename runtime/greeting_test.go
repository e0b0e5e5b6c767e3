package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/messages"
)

// TestTheSameGreetingIsNotLost: what somebody new answers to the greeting that another one got, in the
// same words, is held while the other one is shown, and delivered to whoever a person says it is of, or
// once there is more of it.
func TestTheSameGreetingIsNotLost(t *testing.T) {
	const greeting, answer = "Nice to meet you, shall we talk?", "With pleasure"
	for _, settles := range []string{"a person", "more of it"} {
		t.Run(settles, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				c.call("one", "Ken Mori")
				c.call("two", "Hana")
				for _, who := range []string{"one", "two", "one"} {
					if who != "one" || len(c.Messages()) == 0 {
						c.Me(who, greeting)
						c.Advance(10 * time.Second)
						c.Friend(who, answer)
					}
					c.show(who, 30*time.Second)
				}
				list, err := c.Runtime.Held(context.Background())
				if err != nil || len(list) != 1 || list[0].Title != "Hana" || list[0].Count != 2 {
					t.Fatalf("Held() = %+v, %v, want the page of Hana", list, err)
				}
				c.says("one", 2) // and is not kept from that
				if settles == "a person" {
					if err := c.Runtime.SettleHeld(context.Background(), list[0].ID, ""); err != nil {
						t.Fatal(err)
					}
				} else {
					c.says("two", 3)
				}
				ids, got := c.want(0), map[messages.ConversationID]int{}
				for _, m := range c.Messages() {
					for _, p := range m.Parts {
						if p.Text == answer {
							got[m.Conversation]++
						}
					}
				}
				if len(got) != 2 || got[ids["one"]] != 1 || settles != "a person" && got[ids["two"]] != 1 {
					t.Errorf("%q came in %v, want once in each; the ids are %v", answer, got, ids)
				}
				if list, err := c.Runtime.Held(context.Background()); err != nil || len(list) > 0 {
					t.Errorf("Held() = %+v, %v, want nothing once it is known", list, err)
				}
			})
		})
	}
}

// TestTheSameGreetingUnderALikeName: what else somebody says who was greeted and has answered as another one
// of a like name never goes to that one.
func TestTheSameGreetingUnderALikeName(t *testing.T) {
	for _, names := range [][2]string{{"Hana", "Hama"}, {"一郎", "一朗"}, {"l", "I"}, {"Hana", "Hana (3)"}} {
		t.Run(names[0]+" and "+names[1], func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				c.call("one", names[0])
				c.call("two", names[1])
				for _, who := range []string{"one", "two"} {
					c.Me(who, "Nice to meet you, shall we talk?")
					c.Advance(10 * time.Second)
					c.Friend(who, "With pleasure")
					c.Advance(10 * time.Second)
				}
				c.says("two", 1)
				c.show("one", time.Minute)
				c.says("one", 2)
				c.says("two", 2)
				c.want(-1)
			})
		})
	}
}

// TestTheSameFirstWords: somebody new who begins in the words that are all that another one has said is
// held, for it may be the other one under a new name. Once the other one is shown under the old one, it is
// somebody new.
func TestTheSameFirstWords(t *testing.T) {
	const words = "Nice to meet you"
	for more := range 4 {
		t.Run(fmt.Sprint(more, " more"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				c.call("one", "Ken Mori")
				c.call("two", "Hana")
				for _, who := range []string{"one", "two"} {
					c.Friend(who, words)
					c.Advance(10 * time.Second)
				}
				c.says("two", more)
				if list, err := c.Runtime.Held(context.Background()); err != nil || len(list) == 0 {
					t.Fatalf("Held() = %+v, %v, want what Hana says", list, err)
				}
				c.show("one", 20*time.Second)
				c.show("two", 20*time.Second)
				if list, err := c.Runtime.Held(context.Background()); err != nil || len(list) > 0 {
					t.Errorf("Held() = %+v, %v, want nothing", list, err)
				}
				c.says("one", 1)
				c.says("two", 1)
				ids, got := c.want(0), map[messages.ConversationID]int{}
				for _, m := range c.Messages() {
					for _, p := range m.Parts {
						if p.Text == words {
							got[m.Conversation]++
						}
					}
				}
				if ids["one"] == ids["two"] || got[ids["one"]] != 1 || got[ids["two"]] != 1 {
					t.Errorf("%q came in %v, want once in each of %v", words, got, ids)
				}
			})
		})
	}
}
