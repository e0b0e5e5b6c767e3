package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
)

// ocrWorkerVerb is how kehai starts itself to read text in another process. Nobody types
// it.
type ocrWorkerVerb struct{ *app }

func (v *ocrWorkerVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:    "ocr-worker ENGINE",
		Short:  "Read text for another kehai: pictures on standard input, lines on standard output",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			return runtime.ServeOCR(args[0], os.Stdin, v.stdout, v.extra...)
		},
	}
}
