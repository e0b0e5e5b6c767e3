package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// firstRun leads a person through what shows only on their own desktop. A step says what to do,
// waits for Enter, and finds out itself how it went; only whether a notice was seen it asks.
type firstRun struct {
	desk   tryout
	in     *bufio.Scanner
	out    terminal
	pause  func(context.Context, time.Duration) error
	chat   hardware.Window // the one that was chosen
	report []string
	failed int
}

// tryout is what the steps try out.
type tryout interface {
	hardware.Screen
	hardware.Structure
	hardware.Notifier
	// Machine names the system; Check is what doctor finds of OCR, fonts and the desktop.
	Machine(ctx context.Context) string
	Check(ctx context.Context) []finding
	Ask(ctx context.Context) error
	Idle(ctx context.Context) (time.Duration, error)
	// Watch watches a window until the context ends. The channel gets each message, never its text.
	Watch(ctx context.Context, ref string) (<-chan struct{}, error)
}

// outcome is how a step went, without private text.
type outcome struct {
	ok   bool
	text string
}

func went(err error, format string, args ...any) outcome {
	if err != nil {
		return outcome{text: err.Error()}
	}
	return outcome{ok: true, text: fmt.Sprintf(format, args...)}
}

// step is one of the list. What a person does first may be nothing.
type step struct {
	name, do string
	try      func(context.Context) outcome
}

// errEnough ends the list before its end.
var errEnough = errors.New("ended by the person")

// run goes through all steps. The report is whole also where it ends early.
func (f *firstRun) run(ctx context.Context) error {
	f.note("kehai %s, %s", version, f.desk.Machine(ctx))
	f.out.printf("Enter goes on, s skips a step, q ends the list.\n")
	for _, try := range []func(context.Context) error{f.setUp, f.choose, f.look, f.messages, f.rest} {
		if err := try(ctx); err != nil {
			f.note("not all steps: %v", err)
			return err
		}
	}
	return nil
}

func (f *firstRun) note(format string, args ...any) {
	f.report = append(f.report, fmt.Sprintf(format, args...))
}

// answer is what the person types; errEnough for q and the end of input.
func (f *firstRun) answer(question string) (string, error) {
	f.out.printf("\n%s ", question)
	if !f.in.Scan() {
		return "", errors.Join(errEnough, f.in.Err())
	}
	a := strings.TrimSpace(f.in.Text())
	if a == "q" {
		return "", errEnough
	}
	return a, nil
}

func (f *firstRun) all(ctx context.Context, steps ...step) error {
	for _, s := range steps {
		if s.do != "" {
			a, err := f.answer(s.do + ", then Enter:")
			if err != nil {
				return err
			}
			if a == "s" {
				f.note("skip  %s", s.name)
				continue
			}
		}
		o := s.try(ctx)
		if err := ctx.Err(); err != nil {
			return err
		}
		mark := "ok  "
		if !o.ok {
			mark = "FAIL"
			f.failed++
		}
		f.note("%s  %s: %s", mark, s.name, o.text)
		f.out.lines(mark+"  ", "      ", s.name+": "+o.text)
	}
	return nil
}

// setUp is what doctor checks, and the permissions.
func (f *firstRun) setUp(ctx context.Context) error {
	checks := func(ctx context.Context) (all outcome) {
		all.ok = true
		var texts []string
		for _, c := range f.desk.Check(ctx) {
			all.ok = all.ok && (c.ok || !c.need)
			texts = append(texts, c.what+": "+c.text)
		}
		all.text = strings.Join(texts, "\n")
		return all
	}
	first := f.desk.Check(ctx)
	if err := f.all(ctx, step{"checks", "", checks}); err != nil {
		return err
	}
	for _, c := range first {
		if !c.ok && c.need {
			return f.all(ctx, step{"checks again", "Mend what is missing (a permission is asked for now)",
				func(ctx context.Context) outcome {
					if err := f.desk.Ask(ctx); err != nil {
						return went(err, "")
					}
					_, err := f.answer("Allow it, then Enter (macOS may want this program started again):")
					if err != nil {
						return went(err, "")
					}
					return checks(ctx)
				}})
		}
	}
	return nil
}

// choose shows titles to the person alone.
func (f *firstRun) choose(ctx context.Context) error {
	list, err := f.desk.Windows(ctx)
	if err != nil {
		f.failed++
		f.note("FAIL  windows: %v", err)
		return err
	}
	f.note("ok    windows: %d", len(list))
	if err := windowsTable(f.out, list); err != nil {
		return err
	}
	for {
		ref, err := f.answer("Which of these is a chat, with the conversation open? REF:")
		if err != nil {
			return err
		}
		f.chat, err = choose(list, ref, "")
		if err == nil {
			f.note("      the chat is a window of %s, %v, with a title: %v", f.chat.App, f.chat.Box.Size(),
				f.chat.Title != "")
			return nil
		}
		f.out.printf("%v\n", err)
	}
}

// look takes pictures.
func (f *firstRun) look(ctx context.Context) error {
	capture := func(ctx context.Context) outcome {
		c, err := f.desk.Capture(ctx, f.chat.Ref)
		if err != nil {
			return went(err, "")
		}
		o := went(nil, "%v pixels, scale %v", c.Image.Rect.Size(), c.Scale)
		if half := c.Image.Rect.Max.Div(2); oneColour(c.Image, image.Rectangle{Min: half, Max: c.Image.Rect.Max}) {
			o.ok = false
			o.text += ", and its lower right quarter is of one colour: is the window smaller than its picture?"
		}
		return o
	}
	return f.all(ctx,
		step{"picture", "", capture},
		step{"other display", "Move the window to another display, if there is one (else s)", capture},
		step{"hidden", "Minimise the window", func(ctx context.Context) outcome {
			_, err := f.desk.Capture(ctx, f.chat.Ref)
			if errors.Is(err, hardware.ErrMinimised) {
				return went(nil, "it is known to be hidden")
			}
			return outcome{text: fmt.Sprintf("want %v, got %v", hardware.ErrMinimised, err)}
		}},
		step{"shown again", "Bring it back", capture},
		step{"caret", "Click into the field where you write, and type nothing", f.caret})
}

func oneColour(img *image.RGBA, box image.Rectangle) bool {
	first := img.RGBAAt(box.Min.X, box.Min.Y)
	for y := box.Min.Y; y < box.Max.Y; y++ {
		for x := box.Min.X; x < box.Max.X; x++ {
			if img.RGBAAt(x, y) != first {
				return false
			}
		}
	}
	return true
}

// caret says where a window changes without news.
func (f *firstRun) caret(ctx context.Context) outcome {
	const pictures = 10
	var before *image.RGBA
	var changed image.Rectangle
	for range pictures {
		c, err := f.desk.Capture(ctx, f.chat.Ref)
		if err != nil {
			return went(err, "")
		}
		if before != nil && before.Rect == c.Image.Rect {
			changed = changed.Union(difference(before, c.Image))
		}
		before = c.Image
		if err := f.pause(ctx, 300*time.Millisecond); err != nil {
			return went(err, "")
		}
	}
	// The messages stand above; a caret blinks in the lowest quarter.
	o := went(nil, "what changes by itself is %v of %v", changed, before.Rect.Max)
	o.ok = changed.Empty() || changed.Min.Y >= before.Rect.Max.Y*3/4
	return o
}

func difference(a, b *image.RGBA) (box image.Rectangle) {
	for y := a.Rect.Min.Y; y < a.Rect.Max.Y; y++ {
		for x := a.Rect.Min.X; x < a.Rect.Max.X; x++ {
			if a.RGBAAt(x, y) != b.RGBAAt(x, y) {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

// messages has the window watched, as kehai watch does it, in a store of its own.
func (f *firstRun) messages(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	var arrived <-chan struct{}
	defer func() { // its store goes with it
		end()
		for arrived != nil {
			if _, open := <-arrived; !open {
				return
			}
		}
	}()
	// counted is how many messages came since the last step.
	counted := func(want int, format string) func(context.Context) outcome {
		return func(context.Context) (o outcome) {
			n, open := 0, true
			for more := true; more && open; {
				select {
				case _, open = <-arrived:
					if open {
						n++
					}
				default:
					more = false
				}
			}
			o = outcome{ok: open && (n == want || want < 0), text: fmt.Sprintf(format, n)}
			if !open {
				o.text += "; the watching has ended: kehai watch says why"
			}
			return o
		}
	}
	one := counted(1, "%d messages arrived, want 1")
	return f.all(ctx,
		step{"watching", "", func(ctx context.Context) (o outcome) {
			var err error
			arrived, err = f.desk.Watch(ctx, f.chat.Ref)
			return went(err, "started")
		}},
		step{"history", "Wait half a minute; nothing is to be sent",
			counted(0, "%d messages that stood there were taken for new, want 0")},
		step{"message", "Have somebody send one message (from a phone), and wait until it shows for ten seconds", one},
		step{"own message", "Write one yourself in that window, and wait ten seconds",
			counted(0, "%d own messages were taken for the friend's, want 0")},
		step{"covered", "Cover the window wholly, have one sent, wait half a minute, leave it covered", one},
		step{"uncovered", "Uncover it, and wait ten seconds",
			counted(-1, "%d messages arrived; 1 if the last step had none, else 0")},
		step{"after sleep", "Let the display sleep for a minute, wake it, have one sent, wait ten seconds", one})
}

// rest is what reading does not need.
func (f *firstRun) rest(ctx context.Context) error {
	rows := func(ctx context.Context) outcome {
		n, err := f.desk.Rows(ctx, f.chat.Ref)
		if errors.Is(err, hardware.ErrUnavailable) {
			return went(nil, "this window tells none: %v", err)
		}
		return went(err, "%d rows", n)
	}
	return f.all(ctx,
		step{"rows in front", "Bring the chat to the front, and come back here with the keyboard alone", rows},
		step{"rows behind", "Bring another application to the front", rows},
		step{"input", "Press a key", func(ctx context.Context) outcome {
			idle, err := f.desk.Idle(ctx)
			o := went(err, "the last input was %v ago", idle.Round(time.Second))
			o.ok = o.ok && idle < time.Minute
			return o
		}},
		step{"notice", "A notice is shown now", func(ctx context.Context) outcome {
			if err := f.desk.Notify(ctx, "Kehai", "a notice"); err != nil {
				return went(err, "")
			}
			a, err := f.answer("Did you see it? y or n:")
			return outcome{ok: err == nil && strings.HasPrefix(a, "y"), text: "seen: " + cmp.Or(a, "no answer")}
		}})
}

// firstRunFile is where the report goes.
const firstRunFile = "kehai-first-run.txt"

// firstRun fails if a step did.
func (v *doctorVerb) first(ctx context.Context, in io.Reader, d tryout,
	pause func(context.Context, time.Duration) error,
) error {
	f := &firstRun{desk: d, in: bufio.NewScanner(in), out: v.stdout, pause: pause}
	err := f.run(ctx)
	if errors.Is(err, errEnough) {
		err = nil
	}
	text := strings.Join(f.report, "\n") + "\n"
	if home, homeErr := os.UserHomeDir(); homeErr == nil && home != "/" {
		text = strings.ReplaceAll(text, home, "~")
	}
	if written := os.WriteFile(firstRunFile, []byte(text), 0o600); written != nil {
		return errors.Join(err, written)
	}
	v.stdout.printf("\nThe report is %s: it has sizes, counts and names of applications, no titles and no messages.\n",
		filepath.Join(".", firstRunFile))
	if err == nil && f.failed > 0 {
		v.stderr.printf("kehai: %s steps failed\n", strconv.Itoa(f.failed))
		return errReported
	}
	return err
}
