package main

import (
	"bytes"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/testkit/replay"
)

// playRecording plays what kehai record has kept.
func (v *replayVerb) playRecording(cmd *cobra.Command, path string, ocr replay.OCR) error {
	if ocr.Noise != 0 {
		return badUsage("replay: a recording is read as it was, or with --ocr real")
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	rec, file, err := recording.OpenFile(path, keyring.Reader(datadir.Keys(cfg)))
	if err != nil {
		return err
	}
	defer file.Close()
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	out, err := replay.RunRecording(ctx, replay.RecordedOptions{
		Recording: rec, Seed: v.seed, RealOCR: ocr.Real, Change: v.change, Deliver: v.showEntry(v.asJSON),
		Options: v.extra,
	})
	if err != nil {
		return err
	}
	if v.log != "" {
		if err := v.writeNew(v.log, func(w io.Writer) error { _, err := w.Write(out.Log); return err }); err != nil {
			return err
		}
	}
	return v.compare(rec, out, ocr.Real || v.profile != "" || len(v.set) > 0)
}

// change applies --profile and --set to the settings of a recording.
func (v *replayVerb) change(cfg *config.Config) error {
	if v.profile != "" {
		if err := cfg.SetFlag("--profile", "profile", v.profile); err != nil {
			return &usageError{err}
		}
	}
	for _, set := range v.set {
		key, value, ok := strings.Cut(set, "=")
		if !ok {
			return badUsage("--set %s: want KEY=VALUE, such as burst.quiet=5s", set)
		}
		if err := cfg.SetFlag("--set", key, value); err != nil {
			return &usageError{err}
		}
	}
	return nil
}

// compare says what is decided otherwise than when it was recorded.
func (v *replayVerb) compare(rec *recording.Recording, out replay.Replayed, asked bool) error {
	for _, p := range out.Problems {
		v.stderr.printf("%s in %s: %q\n", p.What, p.Conversation, string(p.Text))
	}
	differences := replay.Differences(out.Then, out.Log)
	if v.asJSON {
		if err := v.stdout.json().Encode(map[string]any{"summary": map[string]any{
			"decisions": bytes.Count(out.Log, []byte("\n")), "differences": differences, "unread": out.Unread,
			"closed": rec.Closed, "torn": rec.Torn, "virtual_ms": out.Virtual.Milliseconds(),
		}}); err != nil {
			return err
		}
	} else {
		v.stdout.printf("\n%s decided in %v\n", count(bytes.Count(out.Log, []byte("\n")), "thing"), out.Virtual)
		for _, line := range differences {
			v.stdout.printf("%s\n", line)
		}
	}
	v.explain(rec, out)
	if len(differences) == 0 {
		return v.stderr.printf("kehai: the same was decided as when it was recorded\n")
	}
	v.stderr.printf("kehai: %s from what was decided when it was recorded\n", count(len(differences), "difference"))
	if asked {
		return nil
	}
	return errReported
}

// explain says what the recording lacks.
func (v *replayVerb) explain(rec *recording.Recording, out replay.Replayed) {
	if rec.Closed > 0 {
		v.stderr.printf("kehai: %s of the recording cannot be opened: a conversation was forgotten, or the keys "+
			"are others\n", count(rec.Closed, "part"))
	}
	if rec.Torn {
		v.stderr.printf("kehai: the recording ends in the middle of an entry, as after a crash\n")
	}
	if out.Unread > 0 {
		v.stderr.printf("kehai: %s of the pictures was not read then and cannot be now: try --ocr real\n",
			count(out.Unread, "piece"))
	}
}
