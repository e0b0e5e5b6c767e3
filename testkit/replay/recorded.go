package replay

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/recording"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// RecordedOptions say how a recording is played.
type RecordedOptions struct {
	Recording *recording.Recording
	Change    func(*config.Config) error // changes the settings of the recording; nil: nothing
	RealOCR   bool                       // the frames are read again, with Tesseract
	Seed      uint64                     // of the schedule
	Deliver   func(control.Entry) error  // as in [Options]
	Options   []runtime.Option
}

// Replayed is the outcome of a recording.
type Replayed struct {
	Log     []byte // what was decided, see [recording.Log]
	Then    []byte // what was decided when it was recorded
	Unread  int    // pieces of frames that were not read when it was recorded, and so not now
	Missing int    // frames that cannot be opened
	Virtual time.Duration
	// Problems are turns that failed, and dead letters.
	Problems []Problem
}

// RunRecording plays a recording: drivers and models give what they gave, at the times at which they
// gave it, to the whole chain, in virtual time. It begins with an empty store. Equal options give equal
// decisions.
func RunRecording(ctx context.Context, o RecordedOptions) (Replayed, error) {
	cfg, err := recordedConfig(o)
	if err != nil {
		return Replayed{}, err
	}
	return runTape(ctx, o, cfg, newTape(o.Recording))
}

// runTape plays a recording on a tape of it.
func runTape(ctx context.Context, o RecordedOptions, cfg config.Config, t *tape) (Replayed, error) {
	p := &playback{o: Options{Deliver: o.Deliver, OCR: OCR{Real: o.RealOCR}}, cfg: cfg, store: mem.New(),
		recorder: newRecorder()}
	t.now = func() time.Duration { return p.now().Sub(o.Recording.Began) }
	var decided []recording.Decision
	opts := append(slices.Clip(o.Options), t.options(cfg, p, o.RealOCR)...)
	opts = append(opts, runtime.WithListener(p.listen), runtime.WithListener(func(ev runtime.Event) {
		if d, ok := recording.Decide(ev); ok {
			decided = append(decided, d)
		}
	}))
	r, err := runtime.New(cfg, opts...)
	if err != nil {
		return Replayed{}, err
	}
	if p.sim, err = r.Simulate(engine.SimOptions{Engine: engine.Options{Store: p.store}, Divert: p.divert,
		Seed: o.Seed, Start: o.Recording.Began.Add(t.begins), Wait: t.wait, Turns: &t.turns}); err != nil {
		return Replayed{}, err
	}
	err = p.playUntil(ctx, o.Recording.Began.Add(t.ends))
	out := Replayed{Log: recording.Log(decided), Then: recording.Log(t.decided), Unread: t.unread, Missing: t.missing,
		Virtual: p.now().Sub(o.Recording.Began), Problems: p.result.Problems}
	return out, errors.Join(err, p.closeRuntime(), p.store.Close())
}

// playUntil plays what has no script.
func (p *playback) playUntil(ctx context.Context, end time.Time) error {
	p.sim.Settle()
	for p.now().Before(end) && p.err == nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		due, ok := p.sim.Control().NextTimer()
		if !ok {
			return errors.New("replay: nothing is under way any more: the poller of the window has stopped")
		}
		p.sim.Advance(min(max(0, due.Sub(p.now())), end.Sub(p.now())))
	}
	p.drain(p.cfg.Burst.Cap + time.Minute)
	return p.err
}

// recordedConfig are the settings of a recording, but for what only its own machine has.
func recordedConfig(o RecordedOptions) (config.Config, error) {
	cfg, err := config.Parse("the settings of the recording", []byte(o.Recording.Config))
	if err != nil {
		return cfg, err
	}
	cfg.Memory.Embedder, cfg.OCR.Isolation = "none", config.IsolationInProcess
	cfg.Focus.Notify = config.NotifyNone
	if o.Change != nil {
		if err := o.Change(&cfg); err != nil {
			return cfg, err
		}
	}
	if o.RealOCR {
		cfg.OCR.Engine = config.OCRTesseract
	}
	return cfg, cfg.Validate()
}

// options replace the drivers and the model by a tape.
func (t *tape) options(cfg config.Config, p *playback, realOCR bool) []runtime.Option {
	opts := []runtime.Option{runtime.WithUsage(cfg.Focus.Usage, func() (hardware.Usage, error) {
		return tapeUsage{t}, nil
	})}
	for _, w := range cfg.Windows {
		opts = append(opts,
			runtime.WithScreen(w.Driver, func(w config.Window) (hardware.Screen, string, error) {
				return t, string(w.ID(cfg.Node)), nil
			}),
			runtime.WithTypist(w.Driver, "recorded", func(config.Window) (hardware.Typist, error) {
				return tapeHands{}, nil
			}))
		if w.Structure != "" {
			opts = append(opts, runtime.WithStructure(w.Structure,
				func(w config.Window) (hardware.Structure, string, error) {
					return t.tree(string(w.ID(cfg.Node))), string(w.ID(cfg.Node)), nil
				}))
		}
	}
	if t.seed != "" {
		opts = append(opts, runtime.WithSeed(t.seed))
	}
	if cfg.LLM.Tier != config.LLMNone || len(t.answers) > 0 {
		opts = append(opts, runtime.WithLLM(t))
		if cfg.LLM.Tier != config.LLMCloud {
			opts = append(opts, runtime.WithLocalLLM())
		}
	}
	open := func() (hardware.Recognizer, error) { return t.recognizer(), nil }
	if realOCR {
		open = p.recognizer
	}
	return append(opts, runtime.WithRecognizer(cfg.OCR.Engine, open))
}

// Rerecord plays a recording, and records that in another file, which is not sealed and can be played anywhere. It is
// for recordings of what a script has said; those of people go through [Redact].
func Rerecord(ctx context.Context, rec *recording.Recording, path, version string) (Replayed, error) {
	to, err := recording.New(recording.Options{Path: path, Windows: rec.Windows, Limit: 1 << 40, Version: version})
	if err != nil {
		return Replayed{}, err
	}
	out, err := RunRecording(ctx, RecordedOptions{Recording: rec, Seed: 1,
		Change: func(cfg *config.Config) error {
			cfg.Data = "data" // no place of the machine
			return nil
		},
		Options: []runtime.Option{runtime.WithRecorder(to)}})
	return out, errors.Join(err, to.Close())
}
