package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// phrases are what everybody says, and is told.
var phrases = []string{"よろしくお願いします", "ありがとうございます", "OK", "Nice to meet you, shall we talk?", "With pleasure"}

// speaks lets somebody or us write in the chat that is shown, often what everybody says. A chat begins with
// two messages of somebody's own: another text in place of a single one is an edit of that.
func (c *chats) speaks(who string, rng *rand.Rand) {
	change := drawn.Change{Op: drawn.OpAppend, Conversation: who, Who: drawn.Friend,
		Text: messages.Text(phrases[rng.IntN(len(phrases))])}
	for c.said[who] < 2 {
		c.said[who]++
		c.Friend(who, text(who, c.said[who]))
	}
	switch n := rng.IntN(10); {
	case n >= 4:
		c.said[who]++
		change.Text = messages.Text(text(who, c.said[who]))
	case n >= 2:
		change.Who = drawn.Me
	}
	for i := 0; i < 100 && c.Window.Hides(change); i++ { // until what it hides was seen
		c.Advance(time.Second)
	}
	if err := c.Window.Apply(change); err != nil {
		c.t.Fatal(err)
	}
}

// visits opens chats at random, for seconds or less, and lets people write. Twice Kehai crashes.
func (c *chats) visits(rng *rand.Rand) {
	for i := range 30 {
		who := family3[rng.IntN(3)]
		c.show(who, 0)
		for range 1 + rng.IntN(3) {
			c.speaks(who, rng)
			c.Advance(time.Duration(rng.IntN(4000)) * time.Millisecond)
		}
		if rng.IntN(3) == 0 {
			c.show(family3[rng.IntN(3)], time.Duration(rng.IntN(1500))*time.Millisecond)
			c.show(who, 0)
		}
		c.Advance(time.Duration(1500+rng.IntN(4000)) * time.Millisecond)
		if i%12 == 11 {
			c.Crash()
		}
	}
	for range 2 {
		for _, who := range family3 {
			c.show(who, 5*time.Second)
			for range 2 {
				c.speaks(who, rng)
				c.Advance(20 * time.Second)
			}
		}
	}
}

// TestTwoOfOneName: two people of exactly one name, and a third one. Their chats are empty or begin with few
// messages, they say the same words and are told them, and are opened one after the other for moments. Nothing is
// mixed, doubled or lost; what cannot be told is held. KEHAI_SEED=n plays one, KEHAI_SCHEDULES=n so many.
func TestTwoOfOneName(t *testing.T) {
	seeds := []uint64{14, 31, 39, 57, 121, 153}
	if testing.Short() {
		seeds = seeds[:2]
	}
	if n, err := strconv.ParseUint(os.Getenv("KEHAI_SEED"), 10, 64); err == nil {
		seeds = []uint64{n}
	} else if n, err := strconv.Atoi(os.Getenv("KEHAI_SCHEDULES")); err == nil {
		for seeds = nil; len(seeds) < n; {
			seeds = append(seeds, uint64(len(seeds)))
		}
	}
	for _, seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := together(t)
				for i, name := range []string{"Hana", "Hana", "Ken"} {
					c.call(family3[i], name)
				}
				c.visits(rand.New(rand.NewPCG(seed, 19)))
				c.want(-1)
			})
		})
	}
}
