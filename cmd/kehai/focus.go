package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/attention"
)

// focus is a family of verbs, each with a struct of its own.
type focus struct{ *app }

func (f *focus) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "focus",
		Short: "Judge attention from camera and computer use",
		Long: `Judges what the person at a desk is doing (focused, drowsy, distracted, away,
idle) from two snapshots, one of a camera and one of how the computer is used.
kehai run does so with focus.enabled; classify and replay judge what they are
given, by the same rules.`,
		Example: `  kehai focus status
  kehai focus day
  kehai focus classify --camera camera.json --pc pc.json
  kehai focus replay day.jsonl`,
	}
	for _, v := range []verb{
		&focusStatus{app: f.app}, &focusDay{app: f.app}, &focusExport{app: f.app},
		&focusPause{f.app}, &focusResume{f.app},
		&focusClassify{focusJudge: focusJudge{app: f.app}}, &focusReplay{focusJudge{app: f.app}},
		&focusFeed{app: f.app}, &focusCamera{app: f.app}, &focusBaseline{f.app},
	} {
		cmd.AddCommand(v.command())
	}
	return family(cmd)
}

// focusJudge is shared by the verbs that judge by themselves.
type focusJudge struct {
	*app
	profile string
	llm     llmFlags
}

func (j *focusJudge) addFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&j.profile, "profile", "", "`RULES`: "+strings.Join(attention.Profiles(), " or ")+
		"; those of the configuration if not given")
	j.llm.addFlags(cmd)
}

// open reads the rules and makes the model, nil for none. The function closes it.
func (j *focusJudge) open() (attention.By, runtime.LLMModel, func(), error) {
	if j.profile != "" && !slices.Contains(attention.Profiles(), j.profile) {
		return attention.By{}, nil, nil, badUsage("--profile %q: want %s", j.profile,
			strings.Join(attention.Profiles(), " or "))
	}
	cfg, err := j.load()
	if err != nil {
		return attention.By{}, nil, nil, err
	}
	by, err := attention.Configured(cfg.Focus, cmp.Or(j.profile, cfg.Profile))
	if err != nil {
		return by, nil, nil, err
	}
	model, closeModel, err := j.llm.open(j.app)
	return by, model, closeModel, err
}

// report says which judgements were only guessed, and why.
func (j *focusJudge) report(hints []string, failed error) {
	for _, hint := range hints {
		j.stderr.printf("kehai: %s\n", hint)
	}
	if failed != nil {
		j.stderr.printf("kehai: %v; the fallback decided\n", failed)
	}
}

type focusClassify struct {
	focusJudge
	camera, pc string
}

func (v *focusClassify) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "classify --camera FILE --pc FILE",
		Short: "Judge one pair of snapshots and print the verdict as JSON",
		Long: `Judges two snapshots, each a JSON object in a file or, with -, on standard input.
A half that is not given, or is null, is absent. Rules and profile are those of
the configuration. Cases that the rules do not
decide go to the language model of --llm; if it fails, which standard error says,
and without one, the fallback of the rules decides.`,
		Example: `  kehai focus classify --camera camera.json --pc pc.json
  kehai focus classify --camera camera.json --pc pc.json --llm ollama:qwen3:4b
  echo '{"face_detected":false}' | kehai focus classify --camera - --profile seed`,
		Args: cobra.NoArgs,
		RunE: v.run,
	}
	v.addFlags(cmd)
	cmd.Flags().StringVar(&v.camera, "camera", "", "snapshot of the camera: a `FILE`, or - for standard input")
	cmd.Flags().StringVar(&v.pc, "pc", "", "snapshot of the computer's use: a `FILE`, or - for standard input")
	return cmd
}

func (v *focusClassify) run(cmd *cobra.Command, _ []string) error {
	if v.camera == "-" && v.pc == "-" {
		return badUsage("--camera - --pc -: only one of them can be read from standard input")
	}
	by, model, closeModel, err := v.open()
	if err != nil {
		return err
	}
	defer closeModel()
	camera, err := readSnapshot(cmd, "--camera", v.camera)
	if err != nil {
		return err
	}
	pc, err := readSnapshot(cmd, "--pc", v.pc)
	if err != nil {
		return err
	}
	v.report(attention.Hints(camera, pc), nil)
	verdict, err := attention.Ask(cmd.Context(), by, camera, pc, model)
	if errors.Is(err, attention.ErrNotAsked) {
		v.report(nil, err)
	} else if err != nil {
		return err
	}
	return v.stdout.json().Encode(verdict)
}

// maxSnapshot is the largest snapshot that is read, in bytes.
const maxSnapshot = 1 << 20

// readSnapshot reads a file, or standard input for "-"; nil for "".
func readSnapshot(cmd *cobra.Command, flag, path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	in, err := openInput(cmd, flag, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
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

type focusReplay struct{ focusJudge }

func (v *focusReplay) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Judge recorded snapshots in their own time",
		Long: `Judges a record in its own time and prints one JSON object a line: the verdict,
the steadied state that would be reported, and the transition when that changes.
Like kehai run it judges every 10 s, from the first line of the record on, and
says nothing while nothing is known. A line of the record is a moment:

  {"at_ms":10000,"camera":{"face_detected":true},"pc":{"idle_seconds":3}}

A half that is null is absent from then on; one that is left out is as before,
until it is too old (focus.rules.camera_age and usage_age). Rules and profile are
those of the configuration. The file - is standard input. With --llm a language
model decides where the rules do not, each case once; standard error says how
often it was asked.`,
		Example: `  kehai focus replay day.jsonl
  kehai focus replay day.jsonl --llm config
  kehai focus replay day.jsonl | jq -c 'select(.transition)'`,
		Args: cobra.ExactArgs(1),
		RunE: v.run,
	}
	v.addFlags(cmd)
	return cmd
}

func (v *focusReplay) run(cmd *cobra.Command, args []string) error {
	by, model, closeModel, err := v.open()
	if err != nil {
		return err
	}
	defer closeModel()
	in, err := openInput(cmd, "focus replay", args[0])
	if err != nil {
		return err
	}
	defer in.Close()
	n := 0
	out := v.stdout.json()
	asked, err := attention.ReplayAsking(cmd.Context(), by, model, in, func(l attention.Line) error {
		n++
		v.report(l.Hints, nil)
		return out.Encode(l)
	})
	if model != nil {
		v.stderr.printf("kehai: the language model was asked %d times and failed %d times\n",
			asked.Questions, asked.Failures)
	}
	v.report(nil, asked.Why)
	if err == nil && n == 0 {
		return errors.New(`focus replay: the record is empty: want lines such as {"at_ms":0,"camera":{…},"pc":{…}}`)
	}
	return err
}
