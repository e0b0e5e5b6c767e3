package replay

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"testing"
	"time"

	xdraw "golang.org/x/image/draw"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
	"github.com/kehai-run/kehai/testkit/chatpage"
)

// picture is a window that shows what a function draws, at a time in seconds.
type picture func(second int) *image.RGBA

// shown is a screen of one such window.
type shown struct {
	draw picture
	now  func() time.Time
}

func (s shown) Windows(context.Context) ([]hardware.Window, error) {
	return []hardware.Window{{Ref: "w", Title: "W", App: "W"}}, nil
}

func (s shown) Capture(context.Context, string) (hardware.Capture, error) {
	return hardware.Capture{Image: s.draw(int(s.now().Sub(epoch) / time.Second)), Scale: 1}, nil
}

// eager reads words in everything: in inner, if most of a box lies there, what must never
// come out.
type eager struct{ inner image.Rectangle }

func (eager) Recognize(context.Context, *image.Gray, hardware.Hint) ([]messages.Line, error) {
	return nil, nil
}
func (eager) Close() error { return nil }

func (e eager) RecognizeCrop(_ context.Context, _ *image.RGBA, box image.Rectangle,
	hint hardware.Hint) ([]messages.Line, error) {
	words := fmt.Sprintf("read at %d", box.Min.Y)
	switch in := box.Intersect(e.inner); {
	case !hint.Block:
		words = "A title"
	case 2*in.Dx()*in.Dy() > box.Dx()*box.Dy():
		words = "inner"
	}
	return []messages.Line{{Text: messages.Text(words), Confidence: 0.9,
		Box: messages.Rect{X: box.Min.X, Y: box.Min.Y, W: box.Dx(), H: box.Dy()}}}, nil
}

// watched is what comes out of half a minute of such a window: messages and changes, and
// whether a person was told that something cannot be read.
func watched(t *testing.T, draw picture, inner image.Rectangle) (out []string, told bool) {
	t.Helper()
	cfg := config.Default()
	w := config.DefaultWindow("w")
	w.Driver, w.Layout, w.Ref = "drawn", "auto", ""
	cfg.Windows, cfg.OCR.Engine, cfg.Dedup.FirstSight = []config.Window{w}, config.OCRDrawn, "all"
	now := func() time.Time { return epoch }
	r, err := runtime.New(cfg,
		runtime.WithScreen("drawn", func(config.Window) (hardware.Screen, string, error) {
			return shown{draw, func() time.Time { return now() }}, "w", nil
		}),
		runtime.WithRecognizer(config.OCRDrawn, func() (hardware.Recognizer, error) { return eager{inner}, nil }),
		runtime.WithListener(func(ev runtime.Event) {
			switch m := ev.Message.(type) {
			case messages.MessageDelivered:
				for _, p := range m.Parts {
					out = append(out, string(p.Kind)+" "+string(p.Text))
				}
			case messages.MessageChanged:
				out = append(out, "changed: "+string(m.New))
			case events.SidesState, events.ConversationUnknown, events.IdentityState:
				told = true
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	sim, err := r.Simulate(engine.SimOptions{Engine: engine.Options{Store: mem.New()}, Seed: 1, Start: epoch})
	if err != nil {
		t.Fatal(err)
	}
	now = sim.Now
	sim.Settle()
	for sim.Now().Sub(epoch) < 30*time.Second {
		due, ok := sim.Control().NextTimer()
		if !ok {
			t.Fatal("nothing is under way any more")
		}
		sim.Advance(max(0, due.Sub(sim.Now())))
	}
	if err := sim.Close(); err != nil {
		t.Fatal(err)
	}
	return out, told
}

// TestVideoPlayer watches a film: moving colours, a bar, and a subtitle now and then.
func TestVideoPlayer(t *testing.T) {
	film := func(second int) *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, 640, 400))
		draw.Draw(img, img.Rect, image.Black, image.Point{}, draw.Src)
		for y := 40; y < 330; y++ {
			for x := range 640 {
				c := color.RGBA{uint8(x/3 + 9*second), uint8(y/2 + 5*second), uint8((x+y)/4 - 7*second), 255}
				img.SetRGBA(x, y, c)
			}
		}
		draw.Draw(img, image.Rect(40+9*second%300, 80, 120+9*second%300, 150), image.White, image.Point{}, draw.Src)
		draw.Draw(img, image.Rect(20, 370, 40+10*second, 376), image.NewUniform(chatpage.RGB(255, 0, 0)),
			image.Point{}, draw.Src)
		if second%4 < 2 {
			for i := range 20 {
				draw.Draw(img, image.Rect(200+12*i, 300, 206+12*i, 314), image.White, image.Point{}, draw.Src)
			}
		}
		return img
	}
	if out, _ := watched(t, film, image.Rectangle{}); len(out) > 0 {
		t.Errorf("a film says %q, want nothing", out)
	}
}

// TestAChatInsideAChat shows a screenshot of a chat as a message: what is said in it is not
// said here.
func TestAChatInsideAChat(t *testing.T) {
	inner := chatpage.New(t, chatpage.Dark, 1, 500, "Ken")
	for i := range 6 {
		inner.Say([]messages.Side{messages.SideIncoming, messages.SideOwn}[i%2], "What is said in the picture")
	}
	p := chatpage.New(t, chatpage.Light, 1, 720, "Hana")
	p.Say(messages.SideIncoming, "Look at this")
	p.Say(messages.SideOwn, "At what?")
	box := image.Rect(56, p.Y+10, 56+240, p.Y+10+250)
	img := p.Frame().Image
	xdraw.BiLinear.Scale(img, box, inner.Frame().Image, inner.Frame().Image.Rect, draw.Src, nil)
	out, _ := watched(t, func(int) *image.RGBA { return img }, box)
	for _, s := range out {
		if s == string(messages.KindText)+" inner" {
			t.Errorf("came out: %q, want nothing of what the picture says", out)
			break
		}
	}
	if len(out) == 0 {
		t.Error("nothing came out, want what stands above the picture")
	}
}
