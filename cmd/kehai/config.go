package main

import (
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
)

type configVerb struct{ *app }

func (v *configVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Print the effective configuration, with a comment for each setting",
		Long: `Prints the configuration that a run would use, from defaults, the file, the
environment (KEHAI_*) and flags, and says where each value comes from. The output
is itself a configuration file. Secrets are masked.`,
		Example: `  kehai config > kehai.yaml
  KEHAI_LOG_LEVEL=debug kehai --config kehai.yaml config`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			cfg, err := v.load()
			if err == nil {
				err = runtime.CheckDrivers(cfg, v.extra...)
			}
			if err != nil {
				return &usageError{err}
			}
			return cfg.Write(v.stdout)
		},
	}
}
