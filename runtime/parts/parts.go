// Package parts makes the actors and workers of a runtime, and gives each its part of the
// configuration, the drivers and the model. [Parts] has a method for each kind. Only
// runtime/topology.go says which kinds there are, and who sends what to whom.
package parts

import (
	"image"
	"maps"
	"slices"
	"time"

	"github.com/kehai-run/kehai/actors"
	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/camera"
	"github.com/kehai-run/kehai/actors/attention/history"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/actors/attention/usage"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/capture"
	"github.com/kehai-run/kehai/actors/catchup"
	"github.com/kehai-run/kehai/actors/dedup"
	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/fusion"
	"github.com/kehai-run/kehai/actors/ingress"
	"github.com/kehai-run/kehai/actors/layout"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/actors/outbound"
	"github.com/kehai-run/kehai/actors/owner"
	"github.com/kehai-run/kehai/actors/poller"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/actors/structure"
	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/drivers"
	"github.com/kehai-run/kehai/runtime/pause"
)

// Parts are what the actors and workers of a runtime are made of.
type Parts struct {
	Config               config.Config
	HashKey              []byte
	VaultKey             func(conversation string) []byte // of its placeholders and hashes
	RowKey               func(messages.ConversationID) ([]byte, error)
	Masks                bool // a model sees masked messages only
	Now                  func() time.Time
	Pauses               *pause.State
	Allow                outbound.Allow                 // decides on each key that sends something
	Alone                func() bool                    // no others share what is decided
	Disk                 func(messages.WindowID) string // of the machine that shows a window
	Windows              map[messages.WindowID]drivers.Window
	Trees                map[messages.WindowID]structure.Source
	LayoutOf             func(messages.WindowID) *layout.Layout
	Recognizer, Isolated drivers.OpenRecognizer
	Readings             *ocr.Cache
	Model                llm.Model // llm.None if no model may be asked
	Prompts              *prompt.Catalogue
	Called               func(messages.ConversationID) string       // what people call it
	Bound                func(messages.ConversationID, string) bool // it is the one that settings call by that name
	Adopted              func(app string) []messages.ConversationID // of an older version
	Seed                 func() string                              // of ids
	Asks                 bool                                       // somebody answers attention's questions
	Usage                drivers.OpenUsage                          // nil: nobody counts
	Notifier             hardware.Notifier
	Memory               *recall.Library
	Scope                func(c messages.ConversationID, group bool) recall.Scope // of it
}

func keysOf[V any](of map[messages.WindowID]V) (keys []string) {
	for _, id := range slices.Sorted(maps.Keys(of)) {
		keys = append(keys, string(id))
	}
	return keys
}

// WindowKeys returns the watched windows.
func (p *Parts) WindowKeys() []string { return keysOf(p.Windows) }

// TreeKeys returns the windows whose rows are counted.
func (p *Parts) TreeKeys() []string { return keysOf(p.Trees) }

// DeskKey returns the node.
func (p *Parts) DeskKey() []string { return []string{p.Config.Node} }

// poll returns the time between two looks at a window.
func (p *Parts) poll(w messages.WindowID) time.Duration {
	return p.Windows[w].Config.Poll
}

// Poller looks at the window of its address.
func (p *Parts) Poller(a messages.Address) actors.Actor {
	window := messages.WindowID(a.Key())
	o := pollerOptions(&p.Config)
	o.Interval = p.poll(window)
	o.Excluded = func(img *image.RGBA, scale float64) []image.Rectangle {
		return segment.Quiet(img, scale, p.LayoutOf(window))
	}
	return poller.New(o)(a)
}

// Structure counts the rows of the window of its address.
func (p *Parts) Structure(a messages.Address) actors.Actor {
	o := structureOptions(p.Config.Rules)
	o.Interval = p.poll(messages.WindowID(a.Key()))
	return structure.New(o)(a)
}

// Fusion finds what is new in the window of its address.
func (p *Parts) Fusion(a messages.Address) actors.Actor {
	window := messages.WindowID(a.Key())
	lay := p.LayoutOf(window)
	o := fusion.DefaultOptions()
	o.App, o.Strategy, o.Interval = p.Windows[window].Config.App, variantOf(&p.Config).fusion, p.poll(window)
	o.HashKey, o.Rules = p.HashKey, fusionRules(p.Config.Rules)
	o.Clean = fusion.Sanitizer{IsToken: lay.IsToken, Names: lay.Names}
	return fusion.New(o)(a)
}

// NewActor makes the value of an actor.
type NewActor = func(messages.Address) actors.Actor

// Directory gives conversations their ids.
func (p *Parts) Directory() NewActor {
	return directory.New(directory.Options{
		Rules: p.Config.Rules.OCR.Rules, Only: p.Config.Read.Only, Adopt: p.Adopted, Seed: p.Seed,
	})
}

// Dedup decides which bubbles are new.
func (p *Parts) Dedup() NewActor {
	o := dedupOptions(&p.Config)
	o.HashKey = p.HashKey
	o.CatchUp = func(w messages.WindowID) time.Duration {
		if !p.Config.CatchesUp(p.Windows[w].Config) {
			return 0
		}
		return p.Config.Rules.CatchUp.Hold
	}
	return dedup.New(o)
}

// CatchUp scrolls its window back to what went by unseen.
func (p *Parts) CatchUp() NewActor {
	return catchup.New(catchup.Options{
		Rules: p.Config.Rules.CatchUp, Desk: p.Config.Node, Read: p.Config.OCR.Timeout,
	})
}

// Ingress stops echoes and repeats.
func (p *Parts) Ingress() NewActor {
	o := ingressRules(&p.Config)
	o.HashKey = p.HashKey
	return ingress.New(o)
}

// Outbound types replies into its window.
func (p *Parts) Outbound() NewActor {
	o := outbound.Options{Rules: p.Config.Rules.Send, Desk: p.Config.Node, Read: p.Config.OCR.Timeout}
	for _, w := range p.WindowKeys() {
		o.Windows = append(o.Windows, messages.WindowID(w))
	}
	return outbound.New(o)
}

// Burst joins messages that come in quick succession.
func (p *Parts) Burst() NewActor { return burst.New(burstRules(&p.Config)) }

// Camera summarises the landmarks of a face.
func (p *Parts) Camera() NewActor {
	o := camera.DefaultOptions()
	o.Literal = variantOf(&p.Config).literal
	o.Rules, o.Person = p.Config.Focus.Eyes, p.Config.Focus.Person
	return camera.New(o)
}

// Usages counts keys and switches.
func (p *Parts) Usages() NewActor { return usage.New(usage.DefaultOptions()) }

// NewWorker makes a worker.
type NewWorker = func() (actors.Worker, error)

// Capturer makes workers that capture windows, unless they are paused.
func (p *Parts) Capturer() NewWorker {
	sources := map[messages.WindowID]capture.Source{}
	for id, w := range p.Windows {
		sources[id] = capture.Source{Screen: w.Screen, Ref: w.Ref}
	}
	return capture.New(p.Pauses.Guard(capture.Fixed(sources)), p.Now)
}

// Hands make workers that type.
func (p *Parts) Hands() NewWorker {
	targets := map[messages.WindowID]outbound.Target{}
	for id, w := range p.Windows {
		targets[id] = outbound.Target{Typist: w.Typist, Screen: w.Screen, Ref: w.Ref}
	}
	return outbound.NewHands(outbound.Fixed(targets), p.Now, p.Allow)
}

// Reader makes workers that read with an engine; nil for a nil engine.
func (p *Parts) Reader(open drivers.OpenRecognizer) NewWorker {
	if open == nil {
		return nil
	}
	return func() (actors.Worker, error) {
		o := ocrOptions(&p.Config)
		o.Layouts, o.Cache, o.Open = p.LayoutOf, p.Readings, open
		return ocr.NewWorker(o), nil
	}
}

// RowCounter makes workers that count the rows of a window.
func (p *Parts) RowCounter() NewWorker { return structure.NewWorker(p.Trees, p.Now) }

// UsageCounter makes workers that count keys and switches, unless the desk is paused.
func (p *Parts) UsageCounter() NewWorker { return p.Pauses.GuardUsage(usage.NewWorker(p.Usage)) }

// Shower makes workers that show notices.
func (p *Parts) Shower() NewWorker { return notify.NewWorker(p.Notifier) }

// Asker makes a worker that asks the language model.
func (p *Parts) Asker() (actors.Worker, error) { return llm.NewWorker(p.Model), nil }

// Focus waits a little longer for a language model than the model's own time limit, so
// that the model can say why it did not answer, but not beyond the next judgement.
func (p *Parts) Focus(a messages.Address) actors.Actor {
	o := attention.DefaultOptions()
	v := variantOf(&p.Config)
	o.Rules, o.Literal, o.LLM = v.attention, v.literal, p.Config.Focus.LLM && p.Asks
	o.Deadline = min(p.Config.LLM.Timeout+500*time.Millisecond, 9*time.Second)
	o.Tell = []string{history.Kind, notify.Kind, owner.Kind}
	return attention.New(o)(a)
}

// History keeps what attention judged.
func (p *Parts) History() NewActor {
	return history.New(history.Options{Keep: p.Config.Focus.Keep})
}

// Notices say that a state lasts.
func (p *Parts) Notices() NewActor {
	return notify.New(notify.Options{Times: p.Config.Focus.Times, Show: p.Notifier != nil})
}
