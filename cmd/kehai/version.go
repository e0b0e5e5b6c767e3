package main

import (
	"fmt"
	goruntime "runtime"

	"github.com/spf13/cobra"
)

func (a *app) versionCmd() *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  kehai version",
		Args:    cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(a.stdout, "kehai %s %s %s/%s\n", version, goruntime.Version(), goruntime.GOOS, goruntime.GOARCH)
			return err
		},
	}
}
