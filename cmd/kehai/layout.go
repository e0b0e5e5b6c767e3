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

// layout is a family of one verb, calibrate, with its flags.
type layout struct {
	*app
	scale        float64
	out, picture string
}

func (l *layout) command() *cobra.Command {
	calibrate := &cobra.Command{
		Use:   "calibrate SCREENSHOT.png",
		Short: "Propose a layout from a screenshot of one chat window",
		Long: `Reads a screenshot of one chat window that shows messages of both sides on a
plain background, and proposes a layout: the colours of the bubbles, the header,
the lane of own bubbles and the input. A window uses it when its configuration
says layout: FILE.

With --picture it also draws what it found: own bubbles orange, incoming ones
blue, the title green, the lane yellow, the ends of header and messages red. Look
at it before you use the layout. A layout that does not find both sides in the
screenshot itself is an error: it is not written, but the picture is.

A layout describes the chat alone. Where the window shows more, such as a list of
chats, cut the screenshot to the chat, and write under pane in the layout how many
pixels the window has around it.`,
		Example: `  kehai layout calibrate chat.png --picture found.png > chat.yaml
  kehai layout calibrate retina.png --scale 2 --out chat.yaml`,
		Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error { return l.calibrate(args[0]) },
	}
	fl := calibrate.Flags()
	fl.Float64Var(&l.scale, "scale", 1, "pixels of the screenshot per logical pixel, `N`: 2 on a Retina display")
	fl.StringVar(&l.out, "out", "", "write the layout to a new `FILE` instead of standard output")
	fl.StringVar(&l.picture, "picture", "", "draw what was found into a new `FILE` (PNG)")
	return family(&cobra.Command{
		Use:     "layout",
		Short:   "Describe windows that look unlike the built-in layouts",
		Example: "  kehai layout calibrate chat.png --picture found.png > chat.yaml",
	}, calibrate)
}

func (l *layout) calibrate(path string) error {
	if !(l.scale >= 0.25) || l.scale > 16 {
		return badUsage("layout calibrate: --scale %v: want 0.25 to 16", l.scale)
	}
	img, err := readPNG(path)
	if err != nil {
		return err
	}
	c, err := calibrate.Layout(img, l.scale)
	if l.picture != "" && c.Found != nil {
		encode := func(w io.Writer) error { return png.Encode(w, c.Found) }
		if failed := writeNew(l.picture, encode); failed != nil {
			return errors.Join(err, failed)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
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
	neither := ""
	if c.Neither > 0 {
		neither = fmt.Sprintf(", and %d of neither side", c.Neither)
	}
	return l.stderr.printf("found %d own and %d incoming bubbles%s\n", c.Own, c.Incoming, neither)
}

// maxScreenshot is the largest screenshot in pixels.
const maxScreenshot = 64 << 20

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
