package main

import (
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"os"

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
	print                bool
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
	learn := l.learnCommand()
	for _, verb := range []*cobra.Command{calibrate, learn} {
		fl := verb.Flags()
		fl.Float64Var(&l.scale, "scale", 1, "pixels of the screenshots per logical pixel, `N`: 2 on a Retina display")
		fl.StringVar(&l.out, "out", "", "write the layout to a new `FILE` instead of standard output")
		fl.StringVar(&l.picture, "picture", "", "draw what was found into a new `FILE` (PNG)")
	}
	return family(&cobra.Command{
		Use:     "layout",
		Short:   "Describe windows that look unlike the built-in layouts",
		Example: "  kehai layout calibrate chat.png --picture found.png > chat.yaml",
	}, calibrate, learn)
}

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

func (l *layout) checkScale(verb string) error {
	if !(l.scale >= 0.25) || l.scale > 16 {
		return badUsage("layout %s: --scale %v: want 0.25 to 16", verb, l.scale)
	}
	return nil
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
	return l.stderr.printf("%s\n", found(c))
}

// found says what a layout finds.
func found(c calibrate.Proposal) string {
	if c.Rows > 0 {
		return fmt.Sprintf("found %s without a bubble: the name beside each says whose it is", count(c.Rows, "message"))
	}
	neither := ""
	if c.Neither > 0 {
		neither = fmt.Sprintf(", and %d of neither side", c.Neither)
	}
	return fmt.Sprintf("found %d own and %d incoming bubbles%s", c.Own, c.Incoming, neither)
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
