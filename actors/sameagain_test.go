package actors_test

import (
	"image"
	"strings"
	"testing"
	"time"

	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/dedup/recent"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/testkit/actortest"
	"github.com/kehai-run/kehai/testkit/chatview"
)

const hana = messages.ConversationID("line:Hana")

// stages are the actors after the poller, one after the other.
type stages struct {
	fusion, dedup, ingress, burst *actortest.Harness
}

type stageOptions struct {
	fusion  fusion.Options
	dedup   dedup.Options
	ingress ingress.Rules
	burst   burst.Rules
}

// standard are the rules of profile default, with everything new at first sight.
func standard() stageOptions {
	o := stageOptions{fusion: fusion.DefaultOptions(), dedup: dedup.DefaultOptions(),
		ingress: ingress.DefaultRules(), burst: burst.DefaultRules()}
	o.dedup.FirstSight = ledger.All
	return o
}

func newStages(t *testing.T, o stageOptions) *stages {
	at := func(kind, key string) []actortest.Option {
		return []actortest.Option{actortest.Address(messages.To(kind, key)), actortest.Start(chatview.Start)}
	}
	return &stages{
		fusion: actortest.Spawn(t, fusion.New(o.fusion), append(at(fusion.Kind, window),
			actortest.Partner(directory.Kind, identify))...),
		dedup:   actortest.Spawn(t, dedup.New(o.dedup), at(dedup.Kind, string(hana))...),
		ingress: actortest.Spawn(t, ingress.New(o.ingress), at(ingress.Kind, string(hana))...),
		burst:   actortest.Spawn(t, burst.New(o.burst), at(burst.Kind, string(hana))...),
	}
}

// identify answers for the directory: there is Hana alone.
func identify(m messages.Message) messages.Message {
	q := m.(messages.Identify)
	return messages.Identified{Window: q.Window, Frame: q.Frame, At: q.At, Conversation: hana, Name: "Hana"}
}

// wait lets time pass for all of them, and mail arrive.
func (s *stages) wait(d time.Duration) {
	for _, h := range []*actortest.Harness{s.fusion, s.dedup, s.ingress, s.burst} {
		h.Advance(d)
	}
	s.forward()
}

// forward carries mail from each to the next.
func (s *stages) forward() {
	to := map[string]*actortest.Harness{dedup.Kind: s.dedup, ingress.Kind: s.ingress, burst.Kind: s.burst}
	for _, from := range []*actortest.Harness{s.fusion, s.dedup, s.ingress} {
		for _, m := range from.Sent() {
			if h := to[m.To.Kind()]; h != nil {
				h.Send(m.Message)
			}
		}
	}
}

// frame has a view read, from fusion on.
func (s *stages) frame(words string) {
	v := chatview.Detection(chatview.Chat(words))
	s.fusion.Send(messages.FrameRead{
		Window: window, Title: messages.Line{Text: v.Title},
		Bubbles: v.Bubbles, Marks: v.Marks, Size: v.Size, Scale: v.Scale, At: s.fusion.Now(),
	})
	s.forward()
}

// lines have a frame read whose bubbles have no place, from fusion on.
func (s *stages) lines(words string) {
	m := messages.FrameRead{Window: window, Title: messages.Line{Text: "Hana"}, At: s.fusion.Now()}
	for _, w := range strings.Fields(words) {
		m.Bubbles = append(m.Bubbles, messages.Bubble{
			Side: messages.SideIncoming, Kind: messages.KindText, Text: messages.Text(strings.ReplaceAll(w, "_", " ")),
		})
	}
	s.fusion.Send(m)
	s.forward()
}

// view has a view taken in, from dedup on.
func (s *stages) view(v ledger.View) {
	v.SeenAt = s.dedup.Now()
	s.dedup.Send(chatview.Detection(v))
	s.forward()
}

// text has a text without a place taken in, from dedup on.
func (s *stages) text(t messages.Text) {
	s.dedup.Send(messages.Detection{Window: "w", Conversation: hana, Title: "Hana", Text: t, SeenAt: s.dedup.Now()})
	s.forward()
}

// hears is a message of another channel, from ingress on.
func (s *stages) hears(n messages.Occurrence, t messages.Text) {
	s.ingress.Send(messages.IncomingBubble{
		Conversation: hana, Occurrence: n, Kind: messages.KindText, Text: t, Channel: "push", SeenAt: s.ingress.Now(),
	})
	s.forward()
}

// sends tells fusion and ingress of a text that goes out.
func (s *stages) sends(t messages.Text) {
	for _, h := range []*actortest.Harness{s.fusion, s.ingress} {
		h.Send(messages.TextSent{Conversation: hana, Text: t, Trace: "t", At: h.Now()})
	}
}

// passed is what went on to the conversation, by messages.
func (s *stages) passed() string {
	s.wait(time.Minute)
	var out []string
	for _, m := range s.burst.Sent() {
		if in, ok := m.Message.(messages.InboundMessage); ok {
			out = append(out, strings.ReplaceAll(string(in.Text), "\n", "|"))
		}
	}
	return strings.Join(out, " ")
}

// TestSameAgain has for each stage of the table in doc.go the case that only it
// can decide: it fails when the stage is off. Where options can switch one off,
// the case also runs without it.
func TestSameAgain(t *testing.T) {
	off := func(change func(*stageOptions)) *stageOptions {
		o := standard()
		change(&o)
		return &o
	}
	texts := standard()
	texts.fusion.Strategy, texts.dedup.Recent = fusion.ByText{}, recent.SeedRules()
	texts.ingress.ByPlace, texts.ingress.BySide = false, false
	texts.burst.Repeats = text.DefaultRepeats()
	noRepeats := texts
	noRepeats.burst.Repeats = text.RepeatRules{}
	const long = "明日の会議は十時からに変わりました"
	for _, c := range []struct {
		name    string
		on      stageOptions
		play    func(s *stages)
		want    string
		off     *stageOptions // without the stage; nil: no option switches it off
		without string
	}{
		{
			name: "fusion, cursor: a window of texts after a restart", on: texts,
			play: func(s *stages) {
				s.lines("aaaa bbbb cccc dddd")
				s.lines("aaaa bbbb cccc dddd")
				s.wait(5 * time.Minute)
				s.fusion.Crash()
				s.lines("aaaa bbbb cccc dddd eeee")
				s.lines("aaaa bbbb cccc dddd eeee")
			},
			want: "aaaa|bbbb|cccc|dddd eeee",
		},
		{
			name: "fusion, delta: a window of texts from which the newest have gone", on: texts,
			play: func(s *stages) {
				s.lines("aaaa bbbb cccc dddd eeee")
				s.lines("aaaa bbbb cccc dddd eeee")
				s.wait(5 * time.Minute)
				s.lines("aaaa ffff")
			},
			want: "aaaa|bbbb|cccc|dddd|eeee ffff",
		},
		{
			name: "dedup, same view: scrolled to an unknown part, which comes twice", on: standard(),
			play: func(s *stages) {
				s.view(chatview.Stack(">aaaa <bbbb <cccc"))
				s.view(chatview.Stack("~<rrrr <ssss <tttt"))
				s.view(chatview.Stack("~<rrrr <ssss <tttt"))
			},
			want: "bbbb|cccc",
		},
		{
			name: "dedup, ledger: a repeat is new, the same again is not", on: standard(),
			play: func(s *stages) {
				for _, words := range []string{">good_morning <OK", ">good_morning <OK <OK",
					">good_morning <OK <OK -"} {
					s.view(chatview.Chat(words))
					s.wait(5 * time.Minute)
				}
			},
			want: "OK OK",
		},
		{
			name: "dedup, recent: known once more after a gap", on: standard(),
			play: func(s *stages) {
				s.view(chatview.Stack("<aaaa <bbbb <cccc <dddd <dddd <eeee"))
				s.wait(40 * time.Second)
				s.view(chatview.Stack("<aaaa <tttt <aaaa <uuuu <vvvv <wwww <xxxx <yyyy"))
			},
			want: "aaaa|bbbb|cccc|dddd|dddd|eeee tttt|aaaa|uuuu|vvvv|wwww|xxxx|yyyy",
			off: off(func(o *stageOptions) {
				o.dedup.Recent.Fingerprint, o.dedup.Recent.Lines = 1, 1
			}),
			without: "aaaa|bbbb|cccc|dddd|dddd|eeee aaaa|tttt|aaaa|uuuu|vvvv|wwww|xxxx|yyyy",
		},
		{
			name: "ingress, occurrence: a channel hands a message in twice", on: standard(),
			play: func(s *stages) {
				s.hears(7, "はい")
				s.wait(time.Hour)
				s.hears(7, "はい")
			},
			want: "はい",
		},
		{
			name: "ingress, short: known once more, with another mark", on: standard(),
			play: func(s *stages) {
				s.view(chatview.Stack("<はい <bbbb <cccc <dddd <dddd <eeee"))
				s.wait(10 * time.Second)
				s.view(chatview.Stack("<はい、 <tttt <はい、 <uuuu <vvvv <wwww <xxxx <yyyy"))
			},
			want:    "はい|bbbb|cccc|dddd|dddd|eeee tttt|はい、|uuuu|vvvv|wwww|xxxx|yyyy",
			off:     off(func(o *stageOptions) { o.ingress.ShortWindow = 1 }),
			without: "はい|bbbb|cccc|dddd|dddd|eeee はい、|tttt|はい、|uuuu|vvvv|wwww|xxxx|yyyy",
		},
		{
			name: "ingress, common: two channels of one conversation", on: standard(),
			play: func(s *stages) {
				s.view(chatview.Chat("<" + long))
				s.wait(10 * time.Second)
				s.hears(2, long)
			},
			want: long,
			off:  off(func(o *stageOptions) { o.ingress.CommonWindow = 1 }), without: long + " " + long,
		},
		{
			name: "burst: a short line read again, with its end cut", on: texts,
			play: func(s *stages) {
				s.text("明日は休みです")
				s.wait(time.Second)
				s.text("明日は休みで")
			},
			want: "明日は休みです", off: &noRepeats, without: "明日は休みです|明日は休みで",
		},
	} {
		s := newStages(t, c.on)
		if c.play(s); c.off != nil {
			without := newStages(t, *c.off)
			c.play(without)
			if got := without.passed(); got != c.without {
				t.Errorf("%s: without the stage passed on %q, want %q", c.name, got, c.without)
			}
		}
		if got := s.passed(); got != c.want {
			t.Errorf("%s: passed on %q, want %q", c.name, got, c.want)
		}
	}
}

// TestSentByUs: the same for the two stages that know what Kehai has sent.
func TestSentByUs(t *testing.T) {
	deaf := func(change func(*stageOptions)) stageOptions {
		o := standard()
		change(&o)
		return o
	}
	for _, c := range []struct {
		name    string
		play    func(s *stages)
		off     stageOptions
		without string
	}{
		{
			name: "fusion: an own bubble read on the friend's side",
			play: func(s *stages) {
				s.frame("<hello_there")
				s.passed()
				s.sends("good morning")
				s.wait(time.Second)
				s.frame("<hello_there <good_morning")
			},
			off: deaf(func(o *stageOptions) {
				o.fusion.Rules = fusion.DefaultRules()
				o.fusion.Rules.EchoWindow = 1
			}),
			without: "good morning",
		},
		{
			name: "ingress: minutes later, from another channel",
			play: func(s *stages) {
				s.sends("good morning")
				s.wait(5 * time.Minute)
				s.hears(1, "good morning")
			},
			off: deaf(func(o *stageOptions) { o.ingress.EchoWindow = 1 }), without: "good morning",
		},
	} {
		s, without := newStages(t, standard()), newStages(t, c.off)
		c.play(s)
		c.play(without)
		if got := s.passed(); got != "" {
			t.Errorf("%s: passed on %q, want nothing", c.name, got)
		}
		if got := without.passed(); got != c.without {
			t.Errorf("%s: without the stage passed on %q, want %q", c.name, got, c.without)
		}
	}
}

// TestSamePixels: only the poller knows that a frame need not be read. Other
// pixels that say the same end in fusion, before anything is written.
func TestSamePixels(t *testing.T) {
	shot := func(n byte) messages.Frame {
		img := image.NewRGBA(image.Rect(0, 0, 8, 8))
		img.Pix[0] = n
		return messages.Frame{Window: window, Image: img, Scale: 1}
	}
	for n, want := range map[byte]int{1: 0, 2: 1} { // pixels of the second frame, readings of it
		h := actortest.Spawn(t, poller.New(poller.DefaultOptions()),
			actortest.Address(messages.To(poller.Kind, window)))
		h.Start()
		h.Answer(messages.FrameCaptured{Frame: shot(1)})
		hash := poller.Hash(shot(1).Image, nil)
		h.Answer(messages.FrameRead{Window: window, Hash: hash})
		h.SendFrom(messages.To(fusion.Kind, window), messages.FrameSettled{Window: window, Hash: hash})
		h.Advance(time.Second)
		h.Calls()
		h.Answer(messages.FrameCaptured{Frame: shot(n)})
		if got := len(h.Calls()); got != want {
			t.Errorf("after pixels 1 then %d: %d readings, want %d", n, got, want)
		}
	}
	s := newStages(t, standard())
	s.frame(">aaaa <bbbb")
	s.fusion.WantCommits(1)
	s.wait(time.Second)
	s.frame(">aaaa <bbbb")
	s.fusion.WantCommits(0)
}
