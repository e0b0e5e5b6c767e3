package main

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

type pageVerb struct{ *app }

func (v *pageVerb) command() *cobra.Command {
	return &cobra.Command{
		Use:   "page",
		Short: "Print the address of the live page, with its key",
		Long: `Prints the address of the live page of the Kehai that runs. Behind the # stands its
key: who has it reads every message. It stands in the file page.token of the data
directory, too, for programs that use the interface below /v1, which /openapi.json
describes. It lasts for 30 days; delete the file to make it void with the next start.`,
		Example: `  kehai page
  xdg-open "$(kehai page)"`,
		Args: cobra.NoArgs,
		RunE: v.withBackend(func(ctx context.Context, b control.Backend, _ []string) error {
			s, err := b.Status(ctx)
			switch {
			case err != nil:
				return err
			case !s.Running:
				return errors.New("page: no Kehai runs on this data: start one with `kehai run`")
			case s.Page == "":
				return errors.New("page: this run has none: start it without --no-web and with web.enabled: true")
			}
			return v.stdout.printf("%s\n", s.Page)
		}),
	}
}

// withoutKey is the address of the page without what must stay secret.
func withoutKey(page string) string {
	page, _, _ = strings.Cut(page, "#")
	return page
}
