package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/attention"
)

func (a *app) focusCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "focus",
		Short: "Judge attention from camera and computer use",
		Long: `Judges what the person at a desk is doing (focused, drowsy, distracted, away,
idle) from two snapshots, one of a camera and one of how the computer is used.
kehai run does so with focus.enabled; classify and replay judge what they are
given.`,
		Example: `  kehai focus status
  kehai focus day
  kehai focus classify --camera camera.json --pc pc.json
  kehai focus replay day.jsonl`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(a.focusStatus(), a.focusDay(), a.focusExport(), a.focusPause(), a.focusResume(), a.focusClassify(), a.focusReplay(), a.focusFeed())
	return cmd
}

// focusProfile is the flag --profile of the verbs that judge by themselves.
func focusProfile(cmd *cobra.Command) *string {
	return cmd.Flags().String("profile", "default", "`RULES`: "+strings.Join(attention.Profiles(), " or "))
}

func checkFocusProfile(name string) error {
	if !slices.Contains(attention.Profiles(), name) {
		return badUsage("--profile %q: want %s", name, strings.Join(attention.Profiles(), " or "))
	}
	return nil
}

func (a *app) focusClassify() *cobra.Command {
	var camera, pc string
	cmd := &cobra.Command{
		Use:   "classify --camera FILE --pc FILE",
		Short: "Judge one pair of snapshots and print the verdict as JSON",
		Long: `Judges two snapshots, each a JSON object in a file or, with -, on standard input.
A half that is not given, or is null, is absent. Cases that the rules do not
decide go to the language model of --llm; if it fails, which standard error says,
and without one, the fallback of the rules decides.`,
		Example: `  kehai focus classify --camera camera.json --pc pc.json
  kehai focus classify --camera camera.json --pc pc.json --llm ollama:qwen3:4b
  echo '{"face_detected":false}' | kehai focus classify --camera - --profile seed`,
		Args: cobra.NoArgs,
	}
	profile := focusProfile(cmd)
	cmd.Flags().StringVar(&camera, "camera", "", "snapshot of the camera: a `FILE`, or - for standard input")
	cmd.Flags().StringVar(&pc, "pc", "", "snapshot of the computer's use: a `FILE`, or - for standard input")
	llm := a.llmFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkFocusProfile(*profile); err != nil {
			return err
		}
		if camera == "-" && pc == "-" {
			return badUsage("--camera - --pc -: only one of them can be read from standard input")
		}
		cameraJSON, err := readSnapshot("--camera", camera, cmd.InOrStdin())
		if err != nil {
			return err
		}
		pcJSON, err := readSnapshot("--pc", pc, cmd.InOrStdin())
		if err != nil {
			return err
		}
		model, closeModel, err := llm.open()
		if err != nil {
			return err
		}
		defer closeModel()
		for _, hint := range attention.Hints(cameraJSON, pcJSON) {
			fmt.Fprintf(a.stderr, "kehai: %s\n", hint)
		}
		verdict, err := attention.Ask(cmd.Context(), *profile, cameraJSON, pcJSON, model)
		switch {
		case errors.Is(err, attention.ErrNotAsked):
			fmt.Fprintf(a.stderr, "kehai: %v; the fallback decided\n", err)
		case err != nil:
			return err
		}
		return json.NewEncoder(a.stdout).Encode(verdict)
	}
	return cmd
}

// maxSnapshot is the largest snapshot that is read, in bytes.
const maxSnapshot = 1 << 20

// readSnapshot reads a file, or standard input for "-"; nil for "".
func readSnapshot(flag, path string, stdin io.Reader) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	in := stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", flag, err)
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, maxSnapshot+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", flag, err)
	case len(raw) > maxSnapshot:
		return nil, fmt.Errorf("%s: more than %d bytes: want one snapshot", flag, maxSnapshot)
	case len(strings.TrimSpace(string(raw))) == 0:
		return nil, fmt.Errorf("%s: %s is empty: want a JSON object, or null for an absent half", flag, path)
	}
	return raw, nil
}

func (a *app) focusReplay() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Judge recorded snapshots in their own time",
		Long: `Judges a record in its own time and prints one JSON object a line: the verdict,
the steadied state that would be reported, and the transition when that changes.
Like kehai run it judges every 10 s, from the first line of the record on, and
says nothing while nothing is known. A line of the record is a moment:

  {"at_ms":10000,"camera":{"face_detected":true},"pc":{"idle_seconds":3}}

A half that is null is absent from then on; one that is left out is as before,
until it is too old (15 s for the camera, 90 s for the computer). The file - is
standard input. With --llm a language model decides where the rules do not, each
case once; standard error says how often it was asked.`,
		Example: `  kehai focus replay day.jsonl
  kehai focus replay day.jsonl --llm config
  kehai focus replay day.jsonl | jq -c 'select(.transition)'`,
		Args: cobra.ExactArgs(1),
	}
	profile := focusProfile(cmd)
	llm := a.llmFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		if err := checkFocusProfile(*profile); err != nil {
			return err
		}
		model, closeModel, err := llm.open()
		if err != nil {
			return err
		}
		defer closeModel()
		in := cmd.InOrStdin()
		if args[0] != "-" {
			f, err := os.Open(args[0])
			if err != nil {
				return fmt.Errorf("focus replay: %w", err)
			}
			defer f.Close()
			in = f
		}
		n := 0
		out := json.NewEncoder(a.stdout)
		asked, err := attention.ReplayAsking(cmd.Context(), *profile, model, in, func(l attention.Line) error {
			n++
			for _, hint := range l.Hints {
				fmt.Fprintf(a.stderr, "kehai: %s\n", hint)
			}
			return out.Encode(l)
		})
		if model != nil {
			fmt.Fprintf(a.stderr, "kehai: the language model was asked %d times and failed %d times\n", asked.Questions, asked.Failures)
		}
		if asked.Why != nil {
			fmt.Fprintf(a.stderr, "kehai: %v; the fallback decided\n", asked.Why)
		}
		if err == nil && n == 0 {
			return errors.New("focus replay: the record is empty: want lines such as {\"at_ms\":0,\"camera\":{…},\"pc\":{…}}")
		}
		return err
	}
	return cmd
}
