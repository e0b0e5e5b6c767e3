package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/control"
)

// focusBaseline is a family of verbs about what was learnt of persons.
type focusBaseline struct{ *app }

func (v *focusBaseline) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "baseline",
		Short: "Show or forget what is usual for a person's eyes",
		Long: `What is usual for a person's eyes and head is learnt from faces that look to the
screen, in a minute of them, and follows slowly. Where several people share the
desk, focus.person names who sits there, and each is learnt alone.`,
		Example: `  kehai focus baseline show
  kehai focus baseline reset
  KEHAI_FOCUS_PERSON=hana kehai run`,
	}
	cmd.AddCommand((&baselineShow{app: v.app}).command(), (&baselineReset{app: v.app}).command())
	return family(cmd)
}

type baselineShow struct {
	*app
	asJSON bool
}

func (v *baselineShow) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show what was learnt, as it was last stored (each minute)",
		Example: `  kehai focus baseline show
  kehai focus baseline show --json`,
		Args: cobra.NoArgs,
		RunE: v.withFocus(v.run),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a person and line")
	return cmd
}

func (v *baselineShow) run(ctx context.Context, b control.FocusBackend, _ []string) error {
	list, err := b.FocusBaselines(ctx)
	switch {
	case err != nil:
		return err
	case v.asJSON:
		return encodeEach(v.stdout, list)
	case len(list) == 0:
		return v.stdout.printf("nothing was learnt yet: that takes a minute in front of the camera\n")
	}
	var t table
	t.row("DESK", "PERSON", "EYES OPEN", "HEAD", "LEARNT", "USED")
	for _, l := range list {
		used := "no, too little"
		if l.Used {
			used = "yes"
		}
		t.row(l.Desk, l.Person, fmt.Sprintf("%.3f", l.EyesOpen),
			fmt.Sprintf("%+.0f°, %+.0f°", l.NeutralYaw, l.NeutralPitch), hoursMinutes(l.LearntSeconds), used)
	}
	return t.write(v.stdout)
}

type baselineReset struct {
	*app
	person string
}

func (v *baselineReset) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Learn a person anew",
		Example: `  kehai focus baseline reset
  kehai focus baseline reset --person hana`,
		Args: cobra.NoArgs,
		RunE: v.withFocus(v.run),
	}
	cmd.Flags().StringVar(&v.person, "person", "", "a `NAME` that focus.person gave; the configured one if not given")
	return cmd
}

func (v *baselineReset) run(ctx context.Context, b control.FocusBackend, _ []string) error {
	person := v.person
	if person == "" {
		cfg, err := v.load()
		if err != nil {
			return err
		}
		person = cfg.Focus.Person
	}
	if err := b.ForgetBaseline(ctx, person); err != nil {
		return err
	}
	return v.stdout.printf("it is learnt anew, in the next minute in front of the camera\n")
}
