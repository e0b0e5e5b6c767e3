package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

type pageVerb struct {
	*app
	list, asJSON, opens           bool
	guest, bearer, meter, revokes string
}

func (v *pageVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "page",
		Short: "Print the address of the live page, with its key",
		Long: `Prints an address that opens the live page of the Kehai that runs, once and within ten
minutes: the page changes what stands behind the # for a key of its own. Who has that
key reads every message. It lasts for 30 days in its tab, also over restarts; Kehai
keeps only its hash. A page that is open while Kehai stops goes on once what answers has
proved that it knows the key; if another program has taken the port, it says so and stops.

Programs that use the interface below /v1, which /openapi.json describes, take a key of
their own: --bearer writes one into a file that only you can read, and --meter one that
reads /metrics and the reasons at /healthz for a year, and nothing else. --guest prints an
address that opens one conversation of the channel web, and that masked, and nothing
else; it too works once, within ten minutes. --list shows the keys, and --revoke makes
one void at once, or all.`,
		Example: `  kehai page
  kehai page --open
  kehai page --bearer ~/.kehai.key
  kehai page --meter ~/.kehai.meter
  kehai page --guest web:hana
  kehai page --list
  kehai page --revoke all`,
		Args: cobra.NoArgs,
		RunE: v.withBackend(v.run),
	}
	flags := cmd.Flags()
	flags.BoolVar(&v.opens, "open", false, "open the page in the browser; if none shows it, print the address")
	flags.BoolVar(&v.list, "list", false, "list the keys that hold")
	flags.BoolVar(&v.asJSON, "json", false, "with --list: one JSON object a key")
	flags.StringVar(&v.guest, "guest", "", "print an address for a guest of a `conversation`")
	flags.StringVar(&v.bearer, "bearer", "", "write a new key into a new `file`, for a program")
	flags.StringVar(&v.meter, "meter", "", "write a new key into a new `file`, for a monitor")
	flags.StringVar(&v.revokes, "revoke", "", "make the key with an `ID` void, or all")
	cmd.MarkFlagsMutuallyExclusive("open", "list", "guest", "bearer", "meter", "revoke")
	return cmd
}

func (v *pageVerb) run(ctx context.Context, b control.Backend, _ []string) error {
	keys, ok := b.(control.PageBackend)
	if !ok {
		return errors.New("this Kehai knows nothing of keys of the page")
	}
	switch {
	case v.list:
		return v.listKeys(ctx, b, keys)
	case v.revokes != "":
		return keys.RevokePageKey(ctx, v.revokes)
	case v.bearer != "":
		return v.write(ctx, keys, v.bearer, control.RoleOwner)
	case v.meter != "":
		return v.write(ctx, keys, v.meter, control.RoleMeter)
	}
	s, err := b.Status(ctx)
	switch {
	case err != nil:
		return err
	case !s.Running:
		return errors.New("page: no Kehai runs on this data: start one with `kehai run`")
	}
	if v.opens && v.guest == "" {
		if opened, err := newBrowser(keys).open(ctx, "/"); opened || err != nil {
			return err
		}
	}
	return v.link(ctx, keys)
}

// link prints an address that opens the page once.
func (v *pageVerb) link(ctx context.Context, keys control.PageBackend) error {
	address, err := keys.PageLink(ctx, messages.ConversationID(v.guest))
	if err != nil {
		return err
	}
	return v.stdout.printf("%s\n", address)
}

// write makes a key and the file of it; without the file, there is no key.
func (v *pageVerb) write(ctx context.Context, keys control.PageBackend, file string, role control.PageRole) error {
	f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("page: want a file that is not there yet: %w", err)
	}
	k, err := keys.MakePageKey(ctx, role)
	if err == nil {
		_, err = f.WriteString(k.Key + "\n")
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(file))
		if k.ID != "" {
			err = errors.Join(err, keys.RevokePageKey(ctx, k.ID))
		}
		return fmt.Errorf("page: %w", err)
	}
	return v.stdout.printf("%s holds until %s\n", k.ID, k.Ends)
}

func (v *pageVerb) listKeys(ctx context.Context, b control.Backend, keys control.PageBackend) error {
	list, err := keys.PageKeys(ctx)
	if err != nil {
		return err
	}
	called := map[messages.ConversationID]string{}
	talks, err := b.Conversations(ctx)
	if err != nil {
		return err
	}
	for _, c := range talks {
		called[c.ID] = c.Label()
	}
	return printList(v.app, v.asJSON, list, "no keys of the page", func(t *table) error {
		t.row("KEY", "OPENS", "MADE", "HOLDS UNTIL", "USED")
		for _, k := range list {
			opens, used := "everything", "no"
			switch k.Role {
			case control.RoleGuest:
				opens = called[k.Conversation]
			case control.RoleMeter:
				opens = "metrics and health"
			}
			if k.Used {
				used = "yes"
			}
			t.row(k.ID, opens, k.Made.Local().Format(time.DateTime), k.Ends.Local().Format(time.DateTime), used)
		}
		return nil
	})
}

// withoutKey is the address of the page without what must stay secret: an older Kehai that runs has
// its key there.
func withoutKey(page string) string {
	page, _, _ = strings.Cut(page, "#")
	return page
}
