package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/actors/conversation/reply"
	"github.com/kehai-run/kehai/actors/text"
)

// Replies are the section replies of a configuration: how conversations are answered.
type Replies struct {
	// How Kehai takes part: assistant (answers) or observe (reads, never answers).
	// Default assistant.
	Mode reply.Mode `yaml:"mode" oneof:"assistant|observe"`

	// What may become of a reply at most: off (none is written), draft (it waits for a
	// person: kehai drafts) or auto (it goes out by itself where auto allows it). On the
	// channels web and host, which have no window, off holds too; for the rest see
	// channels. Default draft.
	Policy reply.Policy `yaml:"policy" oneof:"off|draft|auto"`

	// The only conversations in windows, such as ["line:Hana"], in which replies may go
	// out by themselves, and only with policy auto. Windows that Kehai draws follow drawn,
	// the channels web and host follow channels. Default [].
	Auto []string `yaml:"auto"`

	// Replies on the channels web and host, where somebody waits and nothing is typed:
	// auto (they go out by themselves, unless policy is off or conversations names a
	// policy for that one) or draft (as in windows: policy and auto decide). Default auto.
	Channels reply.Policy `yaml:"channels" oneof:"auto|draft"`

	// Whether replies go out by themselves in windows that Kehai draws itself, whatever
	// policy says: nobody else reads them. Default true.
	Drawn bool `yaml:"drawn"`

	// The assistant's name. Default Kehai.
	Persona string `yaml:"persona"`

	// How the assistant speaks: polite_soft, casual or formal. Default polite_soft.
	Tone string `yaml:"tone" oneof:"polite_soft|casual|formal"`

	// Messages of a conversation that are read for a reply, 1 to 200. Default 20.
	Context int `yaml:"context" min:"1" max:"200"`

	reply.Limits `yaml:",inline"`

	// Hours in which nothing goes out by itself and nobody is notified, such as
	// 22:00-07:00. Empty: none. Default empty.
	Quiet string `yaml:"quiet" form:"quiet?"`

	reply.ByAttention `yaml:",inline"`

	// Settings of single conversations, at most 500; what an entry leaves out is as for
	// all others. Default [].
	Conversations []Particular `yaml:"conversations"`
}

// Particular holds the settings of one conversation that differ from the general ones.
type Particular struct {
	// Its name, such as line:Hana. It must be given. Default empty.
	Name string `yaml:"name"`

	// How Kehai takes part in it: inherit, assistant or observe. Default inherit.
	Mode reply.Mode `yaml:"mode" oneof:"inherit|assistant|observe"`

	// What may become of a reply at most: inherit, off, draft or auto, which also puts
	// the conversation on the list of replies.auto. Default inherit.
	Policy reply.Policy `yaml:"policy" oneof:"inherit|off|draft|auto"`

	// Whether several are on the other side: auto (if two or more have written), yes or
	// no. Groups are answered less often. Default auto.
	Group Group `yaml:"group" oneof:"auto|yes|no"`

	// The assistant's name in it. Empty: as everywhere. Default empty.
	Persona string `yaml:"persona"`

	// How the assistant speaks in it: inherit, polite_soft, casual or formal. Default
	// inherit.
	Tone string `yaml:"tone" oneof:"inherit|polite_soft|casual|formal"`

	// Hours in which nothing goes out by itself, such as 22:00-07:00. Empty: as
	// everywhere. Default empty.
	Quiet string `yaml:"quiet" form:"quiet?"`

	// Replies an hour that may go out by themselves, -1 to 1000; -1 is as everywhere.
	// Default -1.
	PerHour int `yaml:"per_hour" min:"-1" max:"1000"`

	// Replies that may go out by themselves in a row, -1 to 1000; -1 is as everywhere.
	// Default -1.
	InARow int `yaml:"in_a_row" min:"-1" max:"1000"`

	// What becomes of a reply while the person is focused: inherit, hold, draft, notify
	// or send. Default inherit.
	Focused reply.Action `yaml:"when_focused" oneof:"inherit|hold|draft|notify|send"`

	// What becomes of a reply while the person is away: inherit, hold, draft, notify or
	// send. Default inherit.
	Away reply.Action `yaml:"when_away" oneof:"inherit|hold|draft|notify|send"`

	// What becomes of a reply while the person is drowsy: inherit, hold, draft, notify
	// or send. Default inherit.
	Drowsy reply.Action `yaml:"when_drowsy" oneof:"inherit|hold|draft|notify|send"`
}

// DefaultReplies returns settings under which replies wait as drafts, except in windows that
// Kehai draws itself.
func DefaultReplies() Replies {
	return Replies{
		Mode: reply.Assistant, Policy: reply.PolicyDraft, Channels: reply.PolicyAuto, Drawn: true,
		Persona: "Kehai", Tone: "polite_soft", Context: DefaultContext, Limits: reply.DefaultLimits(),
		ByAttention: reply.DefaultAttention(),
	}
}

// inherit stands for the setting of all conversations.
const inherit = "inherit"

// DefaultParticular is a conversation about which nothing is particular.
func DefaultParticular() Particular {
	return Particular{Mode: inherit, Policy: inherit, Group: GroupAuto, Tone: inherit, PerHour: -1,
		InARow: -1, Focused: inherit, Away: inherit, Drowsy: inherit}
}

// apply puts what is particular over the settings of all.
func (p Particular) apply(s *Settings) {
	over(&s.Mode, p.Mode, inherit)
	over(&s.Policy, p.Policy, inherit)
	over(&s.Persona, p.Persona, "")
	over(&s.Tone, p.Tone, inherit)
	over(&s.Limits.PerHour, p.PerHour, -1)
	over(&s.Limits.InARow, p.InARow, -1)
	over(&s.When.Focused, p.Focused, inherit)
	over(&s.When.Away, p.Away, inherit)
	over(&s.When.Drowsy, p.Drowsy, inherit)
	s.Group = p.Group
	s.Listed = s.Listed || p.Policy == reply.PolicyAuto
	if p.Quiet != "" {
		s.Quiet, _ = reply.ParseQuiet(p.Quiet) // it was checked
	}
}

// over sets a value unless the new one stands for the old.
func over[V comparable](to *V, v, keep V) {
	if v != keep {
		*to = v
	}
}

// Of returns the settings of the conversation with this name; drawn reports whether Kehai
// draws its window.
func (r Replies) Of(name string, drawn bool) Settings {
	quiet, _ := reply.ParseQuiet(r.Quiet) // it was checked
	s := Settings{
		Mode: r.Mode, Policy: r.Policy, Listed: slices.Contains(r.Auto, name), When: r.ByAttention, Limits: r.Limits,
		Quiet: quiet, Persona: r.Persona, Tone: r.Tone, Context: r.Context, Drawn: drawn,
	}
	if drawn && r.Drawn && s.Policy != reply.PolicyOff {
		s.Policy, s.Listed = reply.PolicyAuto, true
	}
	for _, p := range r.Conversations {
		if p.Name == name {
			p.apply(&s)
		}
	}
	return s
}

// OnChannel returns the settings of a conversation of this name on a channel, where replies go out
// by themselves unless its policy, or that of all channels, says otherwise.
func (r Replies) OnChannel(name string) Settings {
	s := r.Of(name, false)
	own := slices.ContainsFunc(r.Conversations, func(p Particular) bool {
		return p.Name == name && p.Policy != inherit
	})
	if s.Policy != reply.PolicyOff && r.Channels != reply.PolicyDraft && !own {
		s.Policy, s.Listed = reply.PolicyAuto, true
	}
	s.Typist = true // nothing is typed
	return s
}

// maxConversations is how many may have settings of their own.
const maxConversations = 500

// Check calls wrong for each setting that does not fit the others, with its key. It suggests
// app for a name that lacks its application; drawn says that Kehai draws a window.
func (r Replies) Check(app string, drawn bool, wrong func(key, what string)) {
	seen := map[string]int{}
	for i, one := range r.Conversations {
		key := fmt.Sprintf("conversations.%d.name", i)
		first, twice := seen[one.Name]
		switch {
		case strings.TrimSpace(one.Name) == "":
			wrong(key, "want the name of a conversation, such as line:Hana")
		case twice:
			wrong(key, fmt.Sprintf("%s: replies.conversations.%d has that name: make one entry of both",
				text.Quote(one.Name), first))
		default:
			wrong(key, wrongName(one.Name, app))
		}
		seen[one.Name] = i
	}
	if n := len(r.Conversations); n > maxConversations {
		wrong("conversations", fmt.Sprintf("%d conversations: want at most %d", n, maxConversations))
	}
	for _, name := range r.Auto {
		wrong("auto", wrongName(name, app))
	}
	r.checkAuto(drawn, wrong)
}

// wrongName refuses a name that no conversation can have: without its application it
// would match none.
func wrongName(name, app string) string {
	first, title, both := strings.Cut(name, ":")
	if both && first != "" && strings.TrimSpace(title) != "" {
		return ""
	}
	return fmt.Sprintf("%s is no conversation: want its application and its name: did you mean %s?",
		text.Quote(name), text.Quote(app+":"+strings.Trim(name, ": ")))
}

// checkAuto refuses settings that contradict each other: one lets replies go out by
// themselves, another leaves none that can. Mode observe may stand beside anything:
// it is how all answering is turned off for a while.
func (r Replies) checkAuto(drawn bool, wrong func(key, what string)) {
	listed := len(r.Auto) > 0 || slices.ContainsFunc(r.Conversations,
		func(one Particular) bool { return one.Policy == reply.PolicyAuto })
	auto := r.Policy == reply.PolicyAuto
	switch {
	case auto && !listed && !(drawn && r.Drawn):
		wrong("auto", "want the conversations in which replies may go out by themselves, "+
			"or set replies.policy: draft")
	case len(r.Auto) > 0 && !auto:
		wrong("auto", fmt.Sprintf("names conversations, and replies.policy is %s, so that nothing goes out "+
			"by itself: set replies.policy: auto, or take them out", r.Policy))
	case auto && r.PerHour == 0:
		wrong("per_hour", "0: replies.policy is auto: want 1 at least, or set replies.policy: draft")
	case auto && r.InARow == 0:
		wrong("in_a_row", "0: replies.policy is auto: want 1 at least, or set replies.policy: draft")
	}
}

// Unseen is a name in the settings of replies that no conversation has.
type Unseen struct {
	Name string
	Near string // that of a conversation, "" for none
}

// NamesConversations reports whether the settings name any.
func (r Replies) NamesConversations() bool {
	return len(r.Auto)+len(r.Conversations) > 0
}

// Unseen lists the names in the settings that are none of the known ones.
func (r Replies) Unseen(known []string) (list []Unseen) {
	names := slices.Clone(r.Auto)
	for _, one := range r.Conversations {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if !slices.Contains(known, name) {
			list = append(list, Unseen{name, text.Nearest(name, known)})
		}
	}
	return list
}
