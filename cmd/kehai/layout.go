package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"
	"strings"

	"github.com/kehai-run/kehai/runtime/calibrate"
	"github.com/spf13/cobra"
)

// layout is a family of the verbs calibrate and learn, with their flags.
type layout struct {
	*app
	scale                float64
	out, picture         string
	mine, theirs, window string
	me                   string
}

func (l *layout) command() *cobra.Command {
	calibrate := &cobra.Command{
		Use:   "calibrate SCREENSHOT.png ...",
		Short: "Propose a layout from screenshots of one chat window",
		Long: `Reads screenshots of one chat window that show messages of both sides on a plain
background, and proposes a layout: the colours of the bubbles, the header, the lane
of own bubbles and the input. Several show the window with and without the focus,
light and dark. A window uses the layout when its configuration says layout: FILE.

With --picture it also draws what it found: own bubbles orange, incoming ones
blue, the title green, the lane yellow, the ends of header and messages red. Look
at it before you use the layout. A layout that does not find both sides in each
screenshot is an error: it is not written, but the picture is.

A layout describes the chat alone. Where the window shows more, such as a list of
chats, cut the screenshots to the chat, and write under pane in the layout how many
pixels the window has around it; or use kehai layout learn, which finds the chat.`,
		Example: `  kehai layout calibrate chat.png --picture found.png > chat.yaml
  kehai layout calibrate focused.png unfocused.png dark.png --out chat.yaml
  kehai layout calibrate retina.png --scale 2 --out chat.yaml`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return l.calibrate(args) },
	}
	learn := &cobra.Command{
		Use:   "learn [SCREENSHOT.png ...] {--mine X,Y --theirs X,Y | --me NAME}",
		Short: "Teach which of two messages is yours",
		Long:  learnHelp,
		Example: `  kehai layout learn shot.png --mine 700,420 --theirs 450,300 --picture found.png > chat.yaml
  kehai layout learn --window app:Slack --me "Alex Doe" --out slack.yaml`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return l.learn(cmd.Context(), args) },
	}
	for _, verb := range []*cobra.Command{calibrate, learn} {
		fl := verb.Flags()
		fl.Float64Var(&l.scale, "scale", 1, "pixels of the screenshots per logical pixel, `N`: 2 on a Retina display")
		fl.StringVar(&l.out, "out", "", "write the layout to a new `FILE` instead of standard output")
		fl.StringVar(&l.picture, "picture", "", "draw what was found into a new `FILE` (PNG)")
	}
	learn.Flags().StringVar(&l.mine, "mine", "", "a point in a message of yours: `X,Y`")
	learn.Flags().StringVar(&l.theirs, "theirs", "", "a point in a message of another person: `X,Y`")
	learn.Flags().StringVar(&l.me, "me", "", "`NAME` beside your messages in a window without bubbles")
	learn.MarkFlagsMutuallyExclusive("me", "mine")
	learn.MarkFlagsMutuallyExclusive("me", "theirs")
	learn.Flags().StringVar(&l.window, "window", "", "capture the window that is called `QUERY`, as in kehai watch")
	return family(&cobra.Command{
		Use:     "layout",
		Short:   "Describe windows that look unlike the built-in layouts",
		Example: "  kehai layout calibrate chat.png --picture found.png > chat.yaml",
	}, calibrate, learn)
}

const learnHelp = `Finds the messages in a chat window as layout: auto does, and takes the colours of
two of them for those of the two sides: --mine and --theirs are points anywhere
inside one message each, counted in pixels from the window's upper left corner. It
tries the result and writes a layout with comments. If both sides are not found in
each screenshot, or a message stands on the wrong side, it ends with 1, writes none
and says where messages were found.

Where no message has a bubble, but a name beside it, as in Slack, the name says whose it
is: --me is yours, as the window shows it. Me, You, 自分 and あなた are known already. Such
a layout may also be written by hand: find: auto, and me: [NAME].

The window is captured if --window says which; otherwise the first screenshot is the
one with the two points. Further screenshots show the same window in other states.
With --picture it draws what it found, as calibrate does.`

func (l *layout) calibrate(paths []string) error {
	if err := l.checkScale("calibrate"); err != nil {
		return err
	}
	shots, err := readPNGs(paths)
	if err != nil {
		return err
	}
	c, err := calibrate.Layout(l.scale, shots...)
	return l.write(c, err, paths[0])
}

func (l *layout) learn(ctx context.Context, paths []string) error {
	if err := l.checkScale("learn"); err != nil {
		return err
	}
	var mine, theirs image.Point
	if l.me = strings.TrimSpace(l.me); l.me == "" {
		var err error
		if mine, err = point("mine", l.mine); err != nil {
			return err
		}
		if theirs, err = point("theirs", l.theirs); err != nil {
			return err
		}
	}
	if (l.window == "") == (len(paths) == 0) {
		return badUsage("layout learn: name a screenshot, or the window with --window; `kehai windows` lists them")
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
	learn := func() (calibrate.Proposal, error) { return calibrate.Learn(l.scale, mine, theirs, shots...) }
	if l.me != "" {
		learn = func() (calibrate.Proposal, error) { return calibrate.LearnName(l.scale, l.me, shots...) }
	}
	c, err := learn()
	return l.write(c, err, what)
}

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

func (l *layout) checkScale(verb string) error {
	if !(l.scale >= 0.25) || l.scale > 16 {
		return badUsage("layout %s: --scale %v: want 0.25 to 16", verb, l.scale)
	}
	return nil
}

func point(flag, value string) (p image.Point, err error) {
	if n, err := fmt.Sscanf(value+"\n", "%d,%d\n", &p.X, &p.Y); err != nil || n != 2 || p.X < 0 || p.Y < 0 {
		return p, badUsage("layout learn: --%s %q: want a point inside a message, X,Y in pixels, such as 450,300",
			flag, value)
	}
	return p, nil
}

// write writes a layout, unless it failed, and in any case what it finds.
func (l *layout) write(c calibrate.Proposal, err error, what string) error {
	if l.picture != "" && c.Found != nil {
		encode := func(w io.Writer) error { return png.Encode(w, c.Found) }
		if failed := writeNew(l.picture, encode); failed != nil {
			return errors.Join(err, failed)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	write := func(w io.Writer) error { _, err := w.Write(c.YAML); return err }
	if l.out != "" {
		err = writeNew(l.out, write)
	} else {
		err = write(l.stdout)
	}
	if err != nil {
		return err
	}
	if c.Rows > 0 {
		return l.stderr.printf("found %s without a bubble: the name beside each says whose it is\n",
			count(c.Rows, "message"))
	}
	neither := ""
	if c.Neither > 0 {
		neither = fmt.Sprintf(", and %d of neither side", c.Neither)
	}
	return l.stderr.printf("found %d own and %d incoming bubbles%s\n", c.Own, c.Incoming, neither)
}

// maxScreenshot is the largest screenshot in pixels.
const maxScreenshot = 64 << 20

func readPNGs(paths []string) (list []*image.RGBA, err error) {
	for _, path := range paths {
		img, err := readPNG(path)
		if err != nil {
			return nil, err
		}
		list = append(list, img)
	}
	return list, nil
}

func readPNG(path string) (*image.RGBA, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head, err := png.DecodeConfig(f)
	if err != nil {
		return nil, fmt.Errorf("%s: want a screenshot as PNG: %w", path, err)
	}
	if head.Width*head.Height > maxScreenshot {
		return nil, fmt.Errorf("%s: %d×%d pixels are more than a window has", path, head.Width, head.Height)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	img, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("%s: want a screenshot as PNG: %w", path, err)
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out, nil
}

// writeNew writes a file that only its owner may read, because a screenshot is private.
// It never overwrites a file.
func writeNew(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: remove it, or name another file", path)
	}
	if err != nil {
		return err
	}
	err = write(f)
	if failed := f.Close(); err == nil {
		err = failed
	}
	if err != nil {
		os.Remove(path) // half a file is useless
	}
	return err
}
