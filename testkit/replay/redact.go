package replay

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/recording"
)

// Redacted is the outcome of [Redact].
type Redacted struct {
	Decisions   int // that a replay of the new recording makes
	Differences int // from those of the old one, apart from texts and names
}

// Redact writes a recording that may be shown to others: texts are replaced by others of the same
// shape, pictures keep their flat parts and have bars for texts, names and places of the machine are
// not in it, and it is not sealed. It holds neither answers of a model nor counts of input. To make it,
// the recording is played, and recorded again.
func Redact(ctx context.Context, rec *recording.Recording, path, version string) (Redacted, error) {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return redact(ctx, rec, path, version, key)
}

// redact makes the words with a key, which nobody keeps.
func redact(ctx context.Context, rec *recording.Recording, path, version string, key []byte) (Redacted, error) {
	o := RecordedOptions{Recording: rec, Seed: 1}
	cfg, err := recordedConfig(o)
	if err != nil {
		return Redacted{}, err
	}
	cfg = withoutPlaces(cfg)
	layouts, err := cfg.Layouts()
	if err != nil {
		return Redacted{}, err
	}
	red := &redaction{lines: map[int][]messages.Line{}, words: words{key, func(s string) bool {
		return slices.ContainsFunc(cfg.Windows, func(w config.Window) bool {
			l := layouts(w.ID(cfg.Node))
			return l != nil && l.IsToken(s)
		})
	}}}
	t := redactedTape(rec, cfg, red)
	red.crops = t.crops
	o.Options = []runtime.Option{runtime.WithListener(red.listen)}
	all := cfg
	all.OCR.Cache = 1 // each frame says where its text stands
	first, err := runTape(ctx, o, all, t)
	if err != nil {
		return Redacted{}, err
	}
	red.spread(rec)
	red.drawing, red.recent = true, nil
	out, err := recordAgain(ctx, rec, cfg, red, path, version)
	if err != nil {
		return Redacted{}, err
	}
	return Redacted{bytes.Count(out.Log, []byte("\n")),
		len(Differences(withoutTexts(first.Log), withoutTexts(out.Log)))}, nil
}

// recordAgain plays what is redrawn, and records it.
func recordAgain(ctx context.Context, rec *recording.Recording, cfg config.Config, red *redaction,
	path, version string) (Replayed, error) {
	var names []string
	for _, w := range cfg.Windows {
		names = append(names, w.Name)
	}
	to, err := recording.New(recording.Options{Path: path, Windows: names, Limit: 1 << 40, Version: version,
		Redacted: true})
	if err != nil {
		return Replayed{}, err
	}
	moved := *rec
	moved.Began = epoch
	out, err := runTape(ctx, RecordedOptions{Recording: &moved, Seed: 1,
		Options: []runtime.Option{runtime.WithRecorder(to)}}, cfg, redactedTape(&moved, cfg, red))
	return out, errors.Join(err, to.Close())
}

// redactedTape is one whose windows are called as in cfg, and that knows no model.
func redactedTape(rec *recording.Recording, cfg config.Config, red *redaction) *tape {
	t := newTape(rec)
	t.redaction, t.answers, t.seed, t.as = red, nil, "", map[string]string{}
	for i, w := range cfg.Windows {
		if i == len(rec.Windows) {
			break
		}
		now := string(w.ID(cfg.Node))
		for was := range t.frames {
			if strings.HasPrefix(was, rec.Windows[i]+"@") {
				t.as[now] = was
				for _, kind := range []string{messages.ActorPoller, messages.ActorOutbound, messages.ActorStructure} {
					t.as[kind+"/"+now] = kind + "/" + was
				}
			}
		}
	}
	return t
}

// withoutPlaces are settings with nothing of their machine or of people in them, and by which nobody
// is answered.
func withoutPlaces(cfg config.Config) config.Config {
	out := config.Default()
	out.SetProfile(cfg.Profile)
	out.Node, out.Data = "recorded", "data"
	out.OCR, out.Burst, out.Dedup, out.Rules = cfg.OCR, cfg.Burst, cfg.Dedup, cfg.Rules
	out.Replies.Policy, out.Replies.Drawn = "off", false
	out.Windows = nil
	for _, w := range cfg.Windows[:min(1, len(cfg.Windows))] { // a recording is of one window
		now := config.DefaultWindow("window")
		now.App, now.Driver, now.Scale, now.Poll, now.Size = "chat", w.Driver, w.Scale, w.Poll, w.Size
		now.Structure = w.Structure
		if !layout.IsFile(w.Layout) {
			now.Layout = w.Layout
		}
		out.Windows = append(out.Windows, now)
	}
	return out
}

// withoutTexts leaves out of a log what was said, and who said it.
func withoutTexts(log []byte) []byte {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	for line := range bytes.Lines(log) {
		var d recording.Decision
		if json.Unmarshal(line, &d) != nil {
			continue
		}
		d.Texts, d.Sender = nil, ""
		enc.Encode(d) // plain data into memory
	}
	return out.Bytes()
}
