package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/ocrproc"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/calibrate"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/web"
)

func (l *layout) learnCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "learn {--window QUERY | SCREENSHOT.png ...} [--mine X,Y --theirs X,Y | --me NAME]",
		Short: "Teach which of two messages is yours",
		Long:  learnHelp,
		Example: `  kehai layout learn --window LINE --out line.yaml
  kehai layout learn shot.png --mine 700,420 --theirs 450,300 --picture found.png > chat.yaml
  kehai layout learn --window app:Slack --me "Alex Doe" --out slack.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return l.learn(cmd.Context(), args) },
	}
	cmd.Flags().StringVar(&l.mine, "mine", "", "a point in a message of yours: `X,Y`")
	cmd.Flags().StringVar(&l.theirs, "theirs", "", "a point in a message of another person: `X,Y`")
	cmd.Flags().StringVar(&l.me, "me", "", "`NAME` beside your messages in a window without bubbles")
	cmd.Flags().BoolVar(&l.print, "print", false, "print the address of the page instead of opening it")
	cmd.Flags().StringVar(&l.window, "window", "", "capture the window that is called `QUERY`, as in kehai watch")
	cmd.MarkFlagsMutuallyExclusive("me", "mine")
	cmd.MarkFlagsMutuallyExclusive("me", "theirs")
	cmd.MarkFlagsRequiredTogether("mine", "theirs")
	return cmd
}

const learnHelp = `Opens a page with a picture of the window: click there on a message of yours, then on one
of somebody else's. Kehai finds the messages as layout: auto does, takes the colours of the
two for those of the two sides, and shows what it would read. If that is right, it writes a
layout with comments. The page is on this machine alone, and over when the command ends.

--mine and --theirs are the two points without a page, counted in pixels from the window's
upper left corner, anywhere inside one message each. If both sides are not found in each
screenshot, or a message stands on the wrong side, it ends with 1, writes none and says
where messages were found. Ctrl-C ends the page, and writes none either.

Where no message has a bubble, but a name beside it, as in Slack, the name says whose it
is: --me is yours, as the window shows it. Me, You, 自分 and あなた are known already. Such
a layout may also be written by hand: find: auto, and me: [NAME].

The window is captured if --window says which; otherwise the first screenshot is the
one with the two points. Further screenshots show the same window in other states.
With --picture it draws what it found, as calibrate does.`

func (l *layout) learn(ctx context.Context, paths []string) error {
	if err := l.checkScale("learn"); err != nil {
		return err
	}
	if (l.window == "") == (len(paths) == 0) {
		return badUsage("layout learn: name a screenshot, or the window with --window; `kehai windows` lists them")
	}
	shown := web.Pointed{Me: strings.TrimSpace(l.me)}
	byHand := l.mine == "" && shown.Me == ""
	if l.mine != "" {
		var err error
		if shown.Mine, err = point("mine", l.mine); err != nil {
			return err
		}
		if shown.Theirs, err = point("theirs", l.theirs); err != nil {
			return err
		}
	}
	shots, err := readPNGs(paths)
	if err != nil {
		return err
	}
	what := l.window
	if l.window == "" {
		what = paths[0]
	} else if shots, err = l.captured(ctx); err != nil {
		return err
	}
	if byHand {
		return l.teach(ctx, shots, what)
	}
	p, err := l.propose(shown, shots)
	if err == nil {
		err = l.tell(ctx, p, shots[0])
	}
	return l.write(p, err, what)
}

// propose is the layout that follows from what was shown.
func (l *layout) propose(shown web.Pointed, shots []*image.RGBA) (calibrate.Proposal, error) {
	if shown.Me != "" {
		return calibrate.LearnName(l.scale, shown.Me, shots...)
	}
	return calibrate.Learn(l.scale, shown.Mine, shown.Theirs, shots...)
}

// teach has a person show on a page whose messages are whose, until a layout is good.
func (l *layout) teach(ctx context.Context, shots []*image.RGBA, what string) error {
	var last calibrate.Proposal
	lesson := web.Lesson{Shot: shots[0], Try: func(ctx context.Context, shown web.Pointed) (t web.Tried) {
		p, err := l.propose(shown, shots)
		if p.Found != nil {
			t.Found = p.Found
		}
		if t.Names = errors.Is(err, calibrate.ErrNames); err != nil {
			t.Said = err.Error()
			return t
		}
		last, t.Good = p, true
		t.Said = found(p)
		read, err := l.read(ctx, p, shots[0])
		if err != nil {
			t.Said += "; their texts cannot be read now: " + err.Error()
		}
		for _, b := range read.Bubbles {
			t.Texts = append(t.Texts,
				web.TriedText{Side: string(b.Side), Sender: string(b.Sender), Text: shownText(b)})
		}
		return t
	}}
	var shown error
	closed := func() error { return nil }
	err := lesson.Serve(ctx, func(address string) {
		if !l.print {
			_, closed, shown = newBrowser(nil).lead(address)
		}
		shown = errors.Join(shown, l.stderr.printf("show on %s which messages are yours; Ctrl-C ends it\n", address))
	})
	if err = errors.Join(err, shown, closed()); err != nil {
		return fmt.Errorf("layout learn: no layout is written: %w", err)
	}
	return l.write(last, nil, what)
}

// read reads what a layout finds, in a process of its own.
func (l *layout) read(ctx context.Context, p calibrate.Proposal, shot *image.RGBA) (
	read messages.FrameRead, err error) {
	cfg, err := l.load()
	if err != nil {
		return read, err
	}
	engine := cfg.OCR.Engine
	if engine == config.OCRDrawn { // which reads the drawn window alone
		engine = config.OCRTesseract
	}
	return p.Read(ctx, calibrate.Reader{Open: func() (hardware.Recognizer, error) {
		return ocrproc.New(func() *exec.Cmd { return runtime.OCRCommand(engine) }), nil
	}}, l.scale, shot)
}

// tell shows in the terminal what would be read.
func (l *layout) tell(ctx context.Context, p calibrate.Proposal, shot *image.RGBA) error {
	read, err := l.read(ctx, p, shot)
	if err != nil {
		return l.stderr.printf("the texts of the messages cannot be read now: %v\n", err)
	}
	var t table
	for _, b := range read.Bubbles {
		whose := map[messages.Side]string{messages.SideOwn: "yours", messages.SideIncoming: "theirs"}[b.Side]
		t.row(whose, b.Sender, shownText(b))
	}
	return t.write(l.stderr)
}

// shownText is what was read of a message, or that nothing was.
func shownText(b messages.Bubble) string { return cmp.Or(string(b.Text), fmt.Sprintf("[%s]", b.Kind)) }

// captured is the window as it is now.
func (l *layout) captured(ctx context.Context) (shots []*image.RGBA, err error) {
	f, err := openFinder()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	c, err := f.Capture(ctx, l.window)
	if err != nil {
		return nil, err
	}
	l.scale = c.Scale
	return []*image.RGBA{c.Image}, nil
}

func point(flag, value string) (p image.Point, err error) {
	if n, err := fmt.Sscanf(value+"\n", "%d,%d\n", &p.X, &p.Y); err != nil || n != 2 || p.X < 0 || p.Y < 0 {
		return p, badUsage("layout learn: --%s %q: want a point inside a message, X,Y in pixels, such as 450,300",
			flag, value)
	}
	return p, nil
}
