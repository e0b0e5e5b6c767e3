package health

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/rs/zerolog"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/describe"
	"github.com/kehai-run/kehai/runtime/telemetry"
)

// Monitor knows what is wrong with a Kehai that runs. Its methods may be called
// concurrently.
type Monitor struct {
	log          zerolog.Logger
	commitFailed atomic.Bool // the newest one

	// Names tell workers, whose events look like those of actors. It is set before
	// events come.
	Names telemetry.Names
	// Kinds are the kinds of actors and workers that exist, switched on or not: a
	// message to another is a mistake. It is set before events come.
	Kinds []string
	// Alone is set in a program without Kehai's command line: what is wrong names the host's
	// ways to look at it.
	Alone bool
	// Nearest is the kind that was probably meant, "" if none is near. Nil guesses none. It is
	// set before events come.
	Nearest func(kind string, kinds []string) string

	// Aside counts the messages that were put aside as dead letters of late. Nil counts none. It
	// is set before events come.
	Aside func() (int, error)
	aside atomic.Bool // there may be some

	// Languages says which languages OCR reads, and what adds another. Nil says nothing. It is set before
	// events come.
	Languages func() string

	// Beside lists what else is wrong now, as only who is asked knows. Nil: nothing. It is set
	// before events come.
	Beside func() []string

	mu       sync.Mutex
	trouble  map[string]string                         // what is wrong now, by its reason
	captures map[messages.WindowID]events.CaptureState // the newest change
	ocr      ocrHealth
	// languages has those windows that were read.
	languages map[messages.WindowID]languageHealth
}

// NewMonitor returns one that knows of nothing wrong.
func NewMonitor(log zerolog.Logger) *Monitor {
	h := &Monitor{log: log, trouble: map[string]string{}, captures: map[messages.WindowID]events.CaptureState{},
		languages: map[messages.WindowID]languageHealth{}}
	h.aside.Store(true) // before this start
	return h
}

// countAside notes whether messages are put aside now: somebody may have sent them again.
func (h *Monitor) countAside() {
	if h.Aside == nil || !h.aside.Swap(false) {
		return
	}
	n, err := h.Aside()
	if n > 0 || err != nil {
		h.aside.Store(true)
	}
	switch {
	case err != nil:
	case n == 0:
		h.Set("dead letters", "")
	default:
		h.Set("dead letters", fmt.Sprintf("messages of the last hour could not be handled, and were put aside: %d; "+
			"%s", n, h.Advice(
			"kehai deadletters list says why; once that is mended, kehai deadletters retry sends one again",
			"Runtime.DeadLetters says why; once that is mended, Runtime.RetryDeadLetter sends one again")))
	}
}

// Problems lists what is wrong, sorted by its reason.
func (h *Monitor) Problems() (list []string) {
	h.countAside()
	if h.Beside != nil {
		list = h.Beside()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, reason := range slices.Sorted(maps.Keys(h.trouble)) {
		list = append(list, h.trouble[reason])
	}
	return list
}

// Captures are the newest states of the windows that were captured or could not be, by window.
func (h *Monitor) Captures() []events.CaptureState {
	h.mu.Lock()
	defer h.mu.Unlock()
	var list []events.CaptureState
	for _, w := range slices.Sorted(maps.Keys(h.captures)) {
		list = append(list, h.captures[w])
	}
	return list
}

// Set notes what is wrong for a reason, or with "" that it is over.
func (h *Monitor) Set(reason, text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if text == "" {
		delete(h.trouble, reason)
	} else {
		h.trouble[reason] = text
	}
}

// Committed notes that a commit has succeeded.
func (h *Monitor) Committed() {
	if h.commitFailed.CompareAndSwap(true, false) {
		h.Set("commit", "")
	}
}

// Note takes over what an event says.
func (h *Monitor) Note(m messages.Message) {
	set := func(reason, text string, bad bool) {
		if !bad {
			text = ""
		}
		h.Set(reason, text)
	}
	switch m := m.(type) {
	case events.Dropped:
		h.noteNobody(m.Verdict)
	case events.CallFinished:
		h.noteOCR(m)
	case events.FrameSeen:
		h.noteOCR(m)
		h.noteLanguage(m)
	case events.ActorUnhealthy:
		set("actor "+string(m.Actor), h.unhealthy(m), !m.Healthy)
	case events.MessageQuarantined:
		h.aside.Store(true)
	case events.StoreLow:
		set("store", fmt.Sprintf("durable work is paused since only %d MiB were free for the data directory; "+
			"%d MiB are needed: free some space on its volume", m.Free>>20, m.Need>>20), true)
	case events.StoreRecovered:
		set("store", "", false)
	case events.CommitFailed:
		h.commitFailed.Store(true)
		set("commit", "the newest change could not be stored: "+m.Reason, true)
	case events.CaptureState:
		h.mu.Lock()
		if last, ok := h.captures[m.Window]; !ok || last.Code != m.Code { // a poller that restarts says the same again
			h.captures[m.Window] = m
		}
		h.mu.Unlock()
		set("window "+string(m.Window),
			fmt.Sprintf("window %s cannot be captured (%s): %s", m.Window, m.Code, m.Detail),
			m.Code != "" && m.Code != messages.CodePaused)
	case events.IdentityState:
		set("conversation "+string(m.Window),
			fmt.Sprintf("messages in window %s are missed, as its conversation is unknown: %s",
				m.Window, describe.UnknownHint(m.Why)), m.Why != "")
	case events.TypingState:
		set("typing "+string(m.Window),
			fmt.Sprintf("replies in window %s are paused: somebody types there, or unsent text stands in the box; "+
				"send it or delete it", m.Window), m.Busy)
	case events.SidesState:
		set("sides "+string(m.Window),
			fmt.Sprintf("messages in window %s are missed: %s", m.Window, describe.SidesHint(m)), m.Unknown)
	}
}

// noteNobody notes a message or a request to a kind that there is not. It is wrong
// until the next start, as the program is.
func (h *Monitor) noteNobody(v events.Verdict) {
	kind := v.Actor.Kind()
	if v.Stage != events.StageDeliver || slices.Contains(h.Kinds, kind) {
		return
	}
	var what, then string
	switch v.Detail.Rule {
	case events.RuleNoActor:
		what, then = "an actor sends to the kind", "what is durable waits in the store for a program that has it"
	case events.RuleNoWorker:
		what, then = "an actor calls workers of the kind", "whoever asks gets messages.CallFailed"
	default:
		return
	}
	hint := ""
	if h.Nearest != nil {
		if near := h.Nearest(kind, h.Kinds); near != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", near)
		}
	}
	h.Set(fmt.Sprintf("kind %s %s", v.Detail.Rule, kind),
		fmt.Sprintf("%s %q, which this program does not have%s; %s", what, kind, hint, then))
}

// unhealthy says that an actor, or a worker of a pool, fails. The key of an actor may
// be a person's name, and this text is shown to any local user.
func (h *Monitor) unhealthy(m events.ActorUnhealthy) string {
	a := m.Actor
	if m.Blocked {
		return fmt.Sprintf("an actor of kind %s blocks: its turn does not end, and its messages wait; "+
			"%s", a.Kind(), h.Advice("kehai status and the log name it", "the log names it"))
	}
	if m.Key != "" && a.Kind() == events.Deletions {
		return fmt.Sprintf("what was to be forgotten is not all deleted, as a key is out of reach: %s; it goes on by "+
			"itself once the key can be used", m.Key)
	}
	if m.Key != "" {
		return fmt.Sprintf("an actor of kind %s waits for a key: %s; it goes on by itself once the key can be used",
			a.Kind(), m.Key)
	}
	if h.Names.IsWorker(a) {
		return fmt.Sprintf("worker %s of the pool %s fails again and again and is retried slowly; the log says why",
			a.Key(), a.Kind())
	}
	return fmt.Sprintf("an actor of kind %s fails again and again and is retried slowly; %s", a.Kind(),
		h.Advice("kehai status names it", "the log names it and says why"))
}

// Advice chooses between what helps beside Kehai's command line, and in a host's own program.
func (h *Monitor) Advice(kehai, alone string) string {
	if h.Alone {
		return alone
	}
	return kehai
}
