package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/web"
)

type focusCamera struct {
	*app
	from  string
	print bool
}

func (v *focusCamera) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "camera",
		Short: "Open a page that follows your face in the browser",
		Long: `Opens a page of the running Kehai that follows your face with MediaPipe's Face
Mesh, in the browser and on this machine alone: no picture leaves the page, and
nothing is loaded from elsewhere. Leave it open in a window of its own; a browser
slows down pages that do not show.

The tracker is the npm package ` + web.TrackerPackage + `.
make tracker fetches it, and the first kehai focus camera copies it into the data
directory. Elsewhere fetch it with npm pack, unpack it, and name the folder with
--from. It is of 2022, the last one of MediaPipe with the model inside.`,
		Example: `  make tracker && kehai focus camera
  kehai focus camera --from ./package
  kehai focus camera --print`,
		Args: cobra.NoArgs,
		RunE: v.withBackend(v.run),
	}
	cmd.Flags().StringVar(&v.from, "from", "", "`FOLDER` of the unpacked npm package, to be copied")
	cmd.Flags().BoolVar(&v.print, "print", false, "print the address instead of opening it")
	return cmd
}

func (v *focusCamera) run(ctx context.Context, b control.Backend, _ []string) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	if err := v.install(web.TrackerIn(cfg.Data)); err != nil {
		return err
	}
	s, err := b.Status(ctx)
	switch {
	case err != nil:
		return err
	case !s.Running:
		return errors.New("focus camera: no Kehai runs on this data: " +
			"set focus.enabled: true and start one with kehai run")
	}
	keys, ok := b.(control.PageBackend)
	if !ok {
		return control.ErrNoPage
	}
	page := newBrowser(keys)
	if !v.print {
		opened, err := page.open(ctx, "/camera")
		if err != nil {
			return err
		}
		if opened {
			return v.stdout.printf("the page is open: press Start there, and allow the camera\n")
		}
	}
	address, err := page.link(ctx, "/camera")
	if err != nil {
		return err
	}
	return v.stdout.printf("%s\n", address)
}

// install copies the tracker into the data directory, unless it is there.
func (v *focusCamera) install(to web.Tracker) error {
	from := v.from
	if from == "" {
		if to.Check() == nil {
			return nil
		}
		program, err := os.Executable()
		if err != nil {
			return err
		}
		from = filepath.Join(filepath.Dir(program), "tracker", "node_modules", "@mediapipe", "face_mesh")
	}
	if err := web.Tracker(from).Check(); err != nil {
		return fmt.Errorf("focus camera: %w: run make tracker, or npm pack %s, unpack it, "+
			"and give its folder with --from", err, web.TrackerPackage)
	}
	return to.Install(web.Tracker(from))
}
