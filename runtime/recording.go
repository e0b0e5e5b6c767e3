package runtime

import (
	"maps"

	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/parts"
	"github.com/kehai-run/kehai/runtime/recording"
)

// WithRecorder keeps what drivers and models give for the recorder's windows, and what was decided.
// The host closes the recorder after Run.
func WithRecorder(rec *recording.Recorder) Option {
	return func(s *settings) { s.taps.Use(rec) }
}

// WithSeed is for replays: the ids of conversations are made of the seed that the recorded runtime had drawn,
// so that they are the same again. Any other runtime draws its own.
func WithSeed(seed string) Option { return func(s *settings) { s.seed = seed } }

// tap puts taps between the drivers and those who use them: what comes from outside passes there.
func (r *Runtime) tap(c *parts.Parts) {
	rec := r.set.taps
	c.Windows, c.Trees = maps.Clone(c.Windows), maps.Clone(c.Trees)
	for id, w := range c.Windows {
		w.Screen = rec.Screen(id, w.Screen)
		c.Windows[id] = w
	}
	for id, t := range c.Trees {
		t.Structure = rec.Tree(id, t.Structure)
		c.Trees[id] = t
	}
	c.Recognizer, c.Isolated = rec.Recognizer(c.Recognizer), rec.Recognizer(c.Isolated)
	c.Model, c.Usage, c.Seed = rec.Model(c.Model), rec.Usage(c.Usage), rec.Seed(c.Seed)
}

// recordingNow is what the page and status show of a recording.
func (r *Runtime) recordingNow() *control.Recording {
	rec := r.set.taps.Now()
	if rec == nil {
		return nil
	}
	now := rec.State()
	if now.Bytes == 0 || now.Full {
		return nil
	}
	return admin.RecordingOf(now)
}

// record allows recordings, once there are keys to seal them, and begins that of [WithRecorder].
func (r *Runtime) record(keys engine.Sealer) error {
	return r.set.taps.Begin(recording.Host{Config: r.cfg, Keys: keys, Now: r.now, Shaded: r.seen.Shaded})
}
