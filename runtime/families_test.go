package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages"
)

// families are chats whose names are nearly the same, and what each may be called later.
var families = []struct{ names, later [3]messages.Text }{
	{[3]messages.Text{"佐藤 太郎", "佐藤 太朗", "佐藤"}, [3]messages.Text{"さとう", "太朗", "佐藤 花"}},
	{[3]messages.Text{"Mio🌸", "Mio🌼", "Mio"}, [3]messages.Text{"Mio🌼🌸", "Mia", "Mio!"}},
	{[3]messages.Text{"Team (3)", "Team (4)", "Team"}, [3]messages.Text{"Team (5)", "Team B (4)", "Teams"}},
	{[3]messages.Text{"Hana", "Hama", "Hanna"}, [3]messages.Text{"Hana", "Hama K", "Hana N"}},
	{[3]messages.Text{"l", "I", "ll"}, [3]messages.Text{"L", "I.", "Il"}},
}

// family is a window with three chats of alike names. A reader that errs in a name errs in
// the same way until the name is shown anew.
type family struct {
	*chats
	rng   *rand.Rand
	names [3]messages.Text // as the window calls them
	reads map[messages.Text]messages.Text
}

var family3 = [3]string{"one", "two", "three"}

// read is what the reader makes of a title, until the next visit.
func (f *family) read(title messages.Text) messages.Text {
	if out, ok := f.reads[title]; ok {
		return out
	}
	out, letters := title, []rune(title)
	switch n := f.rng.IntN(20); {
	case n < 3:
		out = f.names[n]
	case n == 3:
		out = ""
	case n == 4 && len(letters) > 1:
		out = messages.Text(letters[:len(letters)-1])
	}
	f.reads[title] = out
	return out
}

// step is something that happens, in a chat of which the window shows each message.
func (f *family) step() {
	n := f.rng.IntN(3)
	who := family3[n]
	f.reads = map[messages.Text]messages.Text{}
	switch f.rng.IntN(14) {
	case 0: // what everybody says
		f.Friend(who, "おはよう")
		f.Advance(3 * time.Second)
	case 1:
		f.Me(who, "OK")
		f.Advance(3 * time.Second)
	case 2: // called otherwise, while it is shown
		f.show(who, 3*time.Second)
		f.rename(n)
		f.Advance(2 * time.Second)
	case 3: // while the window is gone
		f.apply(drawn.Change{Op: drawn.OpHide})
		f.Advance(3 * time.Second)
		f.rename(n)
		f.apply(drawn.Change{Op: drawn.OpSwitch, Conversation: family3[f.rng.IntN(3)]})
		f.apply(drawn.Change{Op: drawn.OpShow})
		f.Advance(3 * time.Second)
	case 4:
		f.apply(drawn.Change{Op: drawn.OpRerender})
		f.Advance(2 * time.Second)
	case 5:
		f.apply(drawn.Change{Op: drawn.OpBlur})
		f.Advance(3 * time.Second)
		f.apply(drawn.Change{Op: drawn.OpFocus})
	default:
		f.says(who, 1+f.rng.IntN(2))
	}
}

// rename calls a chat by its other name.
func (f *family) rename(n int) {
	for _, names := range families {
		if names.names[n] == f.names[n] {
			f.names[n] = names.later[n]
			break
		}
	}
	f.call(family3[n], string(f.names[n]))
}

func (f *family) apply(c drawn.Change) {
	f.t.Helper()
	if err := f.Window.Apply(c); err != nil {
		f.t.Fatal(err)
	}
}

// TestFamilies: chats of nearly one name that greet with the same word, are renamed while
// they are shown and while the window is gone, and are drawn with other pixels, under titles
// that stay misread for a while. Nothing is mixed, doubled or lost.
func TestFamilies(t *testing.T) {
	seeds := uint64(5)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &family{rng: rand.New(rand.NewPCG(seed, 9)), names: families[seed%uint64(len(families))].names}
				f.reads = map[messages.Text]messages.Text{}
				f.chats = together(t, reading(f.read))
				for i, who := range family3 {
					f.call(who, string(f.names[i]))
				}
				for n := range 24 {
					f.step()
					if n == 12 {
						f.Crash()
					}
				}
				for _, who := range family3 {
					f.reads = map[messages.Text]messages.Text{}
					f.show(who, time.Minute)
				}
				f.want(-1)
			})
		})
	}
}
