package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
)

// ocrWorkerCmd is what kehai starts itself as to read text in a process of its
// own. Nobody types it.
func (a *app) ocrWorkerCmd() *cobra.Command {
	return &cobra.Command{
		Use:    "ocr-worker ENGINE",
		Short:  "Read text for another kehai: pictures on standard input, lines on standard output",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runtime.ServeOCR(args[0], os.Stdin, a.stdout, a.extra...)
		},
	}
}
