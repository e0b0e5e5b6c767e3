package conversation

import (
	"time"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/prompt"
	"github.com/kehai-run/kehai/messages"
)

// Options of a conversation. Start with [DefaultOptions].
type Options struct {
	Keep int // messages of each side that are kept

	// Settings returns those of a conversation shown in a window; nil means that nothing
	// is answered. It must be pure.
	Settings func(messages.ConversationID, messages.WindowID) Settings

	Interviews Interviewing

	// Check is the time limit for a model that looks for private data in what an interview
	// stored masked; 0 means that none looks.
	Check time.Duration

	Memory bool // tell events to recall/CONVERSATION, and ask it before writing a reply

	Owner   messages.Address    // the actor that knows what the owner does and allows
	Prompts *prompt.Catalogue   // nil means the built-in texts
	Write   time.Duration       // time limit for writing a reply
	PerHour int                 // questions to a model for replies, per hour
	Zone    *time.Location      // of quiet hours; nil means UTC
	Attends bool                // attention is judged
	Mask    bool                // a model sees masked texts only
	Key     func(string) []byte // for the vault, by conversation; needed with Mask

	// Overdue is how long a window may take to say what became of a reply, 0 for ever. Its machine may be lost
	// while others of the cluster go on. Nil means for ever.
	Overdue func() time.Duration

	// Disk names that of the machine which shows a window: another one once the machine is replaced by a new one, and
	// what the old one did not tell is lost. Nil, and "", mean that machines are not replaced.
	Disk func(messages.WindowID) string

	// Name is what people call a conversation, without its application. It is masked too,
	// and each word of it. Nil means no name.
	Name func(messages.ConversationID) string
}

// Interviewing is the section interviews of a configuration: how interviews are led.
type Interviewing struct {
	// Whether an interview whose language model failed goes on with it once it answers again,
	// where it was; if not, it puts its fixed questions to the end. Each answer then waits for
	// the model once more. Default false.
	Resume bool `yaml:"resume"`
}

// Settings are how Kehai takes part in one conversation.
type Settings struct {
	Mode    reply.Mode
	Policy  reply.Policy
	Listed  bool // on the allow-list of auto
	When    reply.ByAttention
	Limits  reply.Limits
	Quiet   reply.Quiet
	Persona string
	Tone    string // polite_soft, casual or formal
	Group   Group
	Drawn   bool // Kehai itself draws the window
	Typist  bool // the window has a typist; without one nothing is sent
	Context int  // messages that a model reads for a reply
}

// Group says whether several people are on the other side of a conversation.
type Group string

// Groups. By default a conversation is one if two or more people wrote what is read.
const (
	GroupAuto Group = "auto"
	GroupYes  Group = "yes"
	GroupNo   Group = "no"
)

// DefaultContext is how many messages are read for a reply by default.
const DefaultContext = 20

// DefaultOptions store what was said, and answer nothing.
func DefaultOptions() Options {
	return Options{Keep: 500, Write: 2 * time.Minute, PerHour: prompt.DefaultPerHour}
}

func (o Options) withDefaults() Options {
	if o.Settings == nil {
		o.Settings = func(messages.ConversationID, messages.WindowID) Settings {
			return Settings{Mode: reply.Observe}
		}
	}
	if o.Name == nil {
		o.Name = func(messages.ConversationID) string { return "" }
	}
	if o.Overdue == nil {
		o.Overdue = func() time.Duration { return 0 }
	}
	if o.Disk == nil {
		o.Disk = func(messages.WindowID) string { return "" }
	}
	if o.Prompts == nil {
		o.Prompts = prompt.Default()
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	return o
}

// Answers reports whether replies are written at all.
func (s Settings) Answers() bool { return s.Mode != reply.Observe && s.Policy != reply.PolicyOff }
