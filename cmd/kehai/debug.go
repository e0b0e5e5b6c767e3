package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/datadir"
)

type debugVerb struct{ *app }

func (v *debugVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "debug DIR",
		Short: "Open the debugging files: the last picture of each window, and what was read in it",
		Long: `Writes what debug.text keeps, opened, into a new directory for this user alone: for
each window the last picture, the same with all but incoming bubbles painted over,
and what each stage made of it. In DATA/debug they are sealed, also under the key of the
conversation on show, and kehai forget destroys these keys; what this command writes it
does not reach. Delete it after use.`,
		Example: "  kehai debug seen",
		Args:    cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			cfg, err := v.load()
			if err != nil {
				return err
			}
			written := 0
			err = datadir.ReadDebug(cfg.Data, func(window, name string, content []byte) error {
				if written++; written == 1 {
					if err := os.Mkdir(args[0], 0o700); err != nil {
						return badUsage("%w: want the name of a new directory", err)
					}
				}
				path := filepath.Join(args[0], window, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					return err
				}
				return errors.Join(v.writeNew(path, func(w io.Writer) error { _, err := w.Write(content); return err }),
					v.stdout.printf("%s\n", path))
			})
			if err == nil && written == 0 {
				err = errors.New("there are no debugging files: set debug.text: true and start Kehai again")
			}
			return err
		},
	}
}
