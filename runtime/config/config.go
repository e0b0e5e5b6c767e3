// Package config is everything that can be set: [Config], its defaults, and how it
// is read from a file, the environment and flags, checked, and printed.
//
// Every value knows where it was set, so that an error can name the place. A number is
// declared once, in the rules of the actor that decides by it, with its default, its
// bounds and its comment; runtime/parts hands them to the actors. Package settings is
// how all of it is read, checked and printed, by the tags.
package config

import (
	"os"
	goruntime "runtime"
	"time"

	"github.com/kehai-run/kehai/actors/attention"
	"github.com/kehai-run/kehai/actors/attention/landmarks"
	"github.com/kehai-run/kehai/actors/attention/notify"
	"github.com/kehai-run/kehai/actors/burst"
	"github.com/kehai-run/kehai/actors/conversation"
	"github.com/kehai-run/kehai/actors/dedup/ledger"
	"github.com/kehai-run/kehai/actors/growth"
	"github.com/kehai-run/kehai/actors/judge"
	"github.com/kehai-run/kehai/actors/llm"
	"github.com/kehai-run/kehai/actors/memory"
	"github.com/kehai-run/kehai/actors/ocr"
	"github.com/kehai-run/kehai/actors/recall"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/runtime/config/settings"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Config is everything that can be set. Start from [Default] or [Load];
// the zero value is not valid. The comment of each field is also what
// [Config.Write] prints above it; key, range and allowed values are in its tag.
// A Config is read by New and not kept in step afterwards.
type Config struct {
	// Folder of the store, the control socket and everything else that is kept.
	// It is made when missing. A path that is not absolute counts from the
	// configuration file. Default: the platform's folder for application data.
	Data string `yaml:"data" path:"true"`

	// Name of this machine among those that work together: a to z, 0 to 9 and -.
	// It is part of what is stored, so keep it. Default: the host's name.
	Node string `yaml:"node" form:"name"`

	// What a commit survives: process (a crash or kill of Kehai; faster) or
	// power (also a power cut; every commit waits for the disk). Default power.
	Durability Durability `yaml:"durability" oneof:"process|power"`

	// Rules by which messages are told: default (a message's place in the
	// transcript decides) or seed (text and time alone decide; for comparison: it
	// loses repeated and short messages and what is no text). Go programs set it by
	// SetProfile. Default default.
	Profile string `yaml:"profile" oneof:"default|seed"`

	// Encryption of the store at rest.
	Encryption Encryption `yaml:"encryption"`

	// The store.
	Store Store `yaml:"store"`

	// Chat windows to watch, at most 16. An empty list watches nothing. Default:
	// one drawn window named line.
	Windows []Window `yaml:"windows" most:"16"`

	// Reading text from captures.
	OCR ocr.Settings `yaml:"ocr"`

	// Joining messages that follow each other closely.
	Burst burst.Rules `yaml:"burst"`

	// Telling new messages from those seen before.
	Dedup Dedup `yaml:"dedup"`

	// What is read at all.
	Read Read `yaml:"read"`

	// Numbers by which messages are told, the same in both profiles unless they say
	// otherwise.
	Rules Rules `yaml:"rules"`

	// Judging from camera and computer use what the person at this machine does.
	Focus Focus `yaml:"focus"`

	// Who is asked where rules do not decide: a language model.
	LLM llm.Settings `yaml:"llm"`

	// What a language model may see of what is private.
	Privacy Privacy `yaml:"privacy"`

	// How conversations are answered.
	Replies conversation.Replies `yaml:"replies"`

	// How interviews are led.
	Interviews conversation.Interviewing `yaml:"interviews"`

	// When it is judged whether to answer.
	Judge judge.Rules `yaml:"judge"`

	// What was ever said, and who may be reminded of it.
	Memory Memory `yaml:"memory"`

	// What is made of what was said.
	Growth growth.Rules `yaml:"growth"`

	// Who is the same person in several conversations, at most 500. Default [].
	People []Person `yaml:"people"`

	// Those who do the work.
	Actors Actors `yaml:"actors"`

	// The live page.
	Web Web `yaml:"web"`

	// Working together with other machines, after kehai cluster init or join.
	Cluster Cluster `yaml:"cluster"`

	// The log.
	Log Log `yaml:"log"`

	// Looking for what went wrong.
	Debug Debug `yaml:"debug"`

	// How long things are kept.
	Retention Retention `yaml:"retention"`

	// The end of a run.
	Shutdown Shutdown `yaml:"shutdown"`

	origins settings.Origins // by key
}

// Values of Config.Profile.
const (
	ProfileDefault = "default"
	ProfileSeed    = "seed"
)

// Durability is what a commit survives.
type Durability string

// Values of [Durability].
const (
	DurabilityProcess Durability = "process"
	DurabilityPower   Durability = "power"
)

// Encryption says where the key of the store is; [ReadKey] reads it. The
// key itself never stands in the configuration.
type Encryption struct {
	// File with the key: 32 bytes, as hex, as base64 or as they are. Empty: no
	// file. Default empty.
	KeyFile string `yaml:"key_file" path:"true" secret:"key file"`

	// Name of the environment variable with the key: 32 bytes as hex or base64.
	// Empty: none. With neither this nor key_file the store is encrypted only after
	// kehai encrypt, with a key below the data folder. Default empty.
	KeyEnv string `yaml:"key_env" secret:"key env"`
}

// Store is about the store.
type Store struct {
	// Free space below which nothing more is written and work pauses until there
	// is more, 64MiB to 1TiB. Default 128MiB.
	MinFree text.Size `yaml:"min_free" min:"64MiB" max:"1TiB"`
}

// Dedup is about telling new messages from those seen before.
type Dedup struct {
	// What counts as new in a conversation never seen before: unanswered (what
	// came after the last own message), all or none. Default unanswered.
	FirstSight ledger.FirstSight `yaml:"first_sight" oneof:"unanswered|all|none"`

	// Messages of each conversation that are kept for comparing, 20 to 5000.
	// Default 200.
	Tail int `yaml:"tail" min:"20" max:"5000"`
}

// Read says what is read at all.
type Read struct {
	// The only conversations that are read, such as ["line:Hana", "line:Ken"]; of
	// all others nothing is stored. A name without application counts in every
	// application. Empty: all are read. Default [].
	Only []string `yaml:"only"`

	// What is done when messages went by unseen: scroll (once nobody has been at the
	// keyboard for rules.catch_up.idle, the window is scrolled back until it shows what
	// is known, and what it shows is read) or off (a notice says that some may be
	// missing). windows.catch_up says otherwise for one window. Default off.
	CatchUp string `yaml:"catch_up" oneof:"off|scroll"`
}

// CatchesUp reports whether a window is scrolled back to read what went by unseen.
func (c *Config) CatchesUp(w Window) bool {
	how := w.CatchUp
	if how != CatchUpOff && how != CatchUpScroll {
		how = c.Read.CatchUp
	}
	return how == CatchUpScroll
}

// Values of Read.CatchUp.
const (
	CatchUpOff    = "off"
	CatchUpScroll = "scroll"
)

// OCR engines that are built in.
const (
	OCRTesseract = "tesseract"
	OCRVision    = "vision" // on macOS alone
	OCRDrawn     = "drawn"
)

// Values of OCR.Isolation.
const (
	IsolationAuto      = ocr.IsolationAuto
	IsolationInProcess = ocr.IsolationInProcess
	IsolationProcess   = ocr.IsolationProcess
)

// Conversation is what is particular about one conversation: an entry of
// Replies.Conversations.
type Conversation = conversation.Particular

// Privacy says what a language model may see.
type Privacy struct {
	// When names, numbers and addresses are masked before a language model reads a text:
	// cloud (only if the model is not on this machine) or always. Default cloud.
	Mask MaskWhen `yaml:"mask" oneof:"cloud|always"`
}

// MaskWhen says for which models texts are masked.
type MaskWhen string

// Values of [MaskWhen].
const (
	MaskCloud  MaskWhen = "cloud"
	MaskAlways MaskWhen = "always"
)

// Memory is about what is remembered.
type Memory struct {
	recall.Sharing    `yaml:",inline"`
	llm.EmbedSettings `yaml:",inline"`
	memory.Rules      `yaml:",inline"`
}

// Person is one person in several conversations: an entry of People.
type Person = recall.Person

// Focus is about attention.
type Focus struct {
	// Whether attention is judged, and face trackers may connect to the socket
	// focus.sock in the data folder. Default false.
	Enabled bool `yaml:"enabled"`

	// Who counts input and names the active application: system (macOS, or X11),
	// none, or a driver that the host adds. Default system.
	Usage string `yaml:"usage" form:"name" driver:"usage"`

	// Whether a language model is asked about cases that are not clear, if llm
	// allows one. Default true.
	LLM bool `yaml:"llm"`

	// Address at which face trackers may also post over HTTP, with the token in
	// the file feed.token of the data folder: a loopback address or localhost, and
	// a port. Empty: none. Default empty.
	FeedAddr string `yaml:"feed_addr" form:"loopback?"`

	// Who sits there, where several people share the desk and each starts Kehai with
	// a name: a word that need not be hidden. What is usual for the eyes is learnt and
	// kept for each. Empty: one person, or nobody asks. Default empty.
	Person string `yaml:"person" form:"name?"`

	// How long changes of the state are kept, 0s to 876000h; 0 keeps them forever.
	// Default 720h.
	Keep time.Duration `yaml:"keep" min:"0s" max:"876000h"`

	notify.Times `yaml:",inline"`

	// Where notices are shown besides the live page: desktop, if the program has a
	// driver for it, or none. They hold no private text. Default desktop.
	Notify string `yaml:"notify" oneof:"desktop|none"`

	// Where cases begin to be clear.
	Rules attention.Rules `yaml:"rules"`

	// When eyes are open, shut or blinking, as the landmarks of a tracker show them.
	// An eye aspect ratio (EAR) is about 0.3 for open eyes.
	Eyes landmarks.Rules `yaml:"eyes"`
}

// Values of Focus.Usage that are built in.
const (
	UsageSystem = "system"
	UsageNone   = "none"
)

// Values of Focus.Notify.
const (
	NotifyDesktop = "desktop"
	NotifyNone    = "none"
)

// Web is about the live page.
type Web struct {
	// Whether the page is served. Default false; kehai run turns it on.
	Enabled bool `yaml:"enabled" unset:"kehai run turns it on"`

	// Address of the page: a loopback address or localhost, and a port. Port 0
	// takes a free one. Default 127.0.0.1:7411, or a free port if that one is taken.
	Addr string `yaml:"addr" form:"loopback"`
}

// Cluster is about working together with other machines.
type Cluster struct {
	// Where to listen for the other machines: HOST:PORT, where HOST is an address or
	// the name of an interface such as en0. Empty: the address of last time, or where
	// others most likely reach this machine, and port 7412. Default empty.
	Listen string `yaml:"listen" form:"listen?"`

	// Addresses HOST:PORT at which other members may be found, where they are not at
	// those of last time. Who answers there still needs its certificate. At most 32.
	// Default [].
	Seeds []string `yaml:"seeds" most:"32"`
}

// Actors is about all actors.
type Actors struct {
	// Time after which an actor that has had nothing to do is put to sleep, 0s to
	// 876000h; 0 is never. It gives its memory back, and its next message wakes it
	// with all that is stored. Default 10m.
	Sleep time.Duration `yaml:"sleep" min:"0s" max:"876000h"`
}

// Log is about the log.
type Log struct {
	// Least grave entries that are written: debug, info, warn or error. Default
	// info.
	Level string `yaml:"level" oneof:"debug|info|warn|error" unset:"kehai run in a terminal shows warn"`

	// Form of the log: console, json, or auto (console on a terminal, else
	// json). Default auto.
	Format string `yaml:"format" oneof:"auto|console|json"`
}

// Debug is about looking for what went wrong.
type Debug struct {
	// Whether the last picture of each window and all that was read in it are
	// written to sealed files below the data folder, which kehai debug opens, and
	// names and texts to the log. Default false.
	Text bool `yaml:"text"`
}

// Retention says how long things are kept.
type Retention struct {
	// Delivered messages, and what is remembered of them; 0 keeps them forever. They
	// go at the start or at most an hour later, but not before every subscription has
	// them. What messages are told by stays: the last dedup.tail texts of each
	// conversation, what each window showed last, and what was sent last; kehai forget
	// deletes these too. Default 0s.
	Messages time.Duration `yaml:"messages" min:"0s" max:"876000h"`

	// Why things were kept or dropped; 0 keeps it forever. Default 720h.
	Verdicts time.Duration `yaml:"verdicts" min:"0s" max:"876000h"`

	// Messages whose handling failed again and again; 0 keeps them forever.
	// Default 0s.
	DeadLetters time.Duration `yaml:"dead_letters" min:"0s" max:"876000h"`
}

// Shutdown is about the end of a run.
type Shutdown struct {
	// Time for finishing what is under way, 0s to 10m; 0 does not wait. What is
	// left over goes on at the next start. Default 10s.
	Drain time.Duration `yaml:"drain" min:"0s" max:"10m"`
}

// Default returns the configuration that holds where nothing is set.
func Default() Config {
	home, _ := os.UserHomeDir() // without one Data is empty, which Validate explains
	host, _ := os.Hostname()    // without one the node is named by nodeName
	return defaultConfig(goruntime.GOOS, home, host, os.Getenv)
}

func defaultConfig(goos, home, host string, env func(string) string) Config {
	c := Config{
		Data:       dataDir(goos, home, env),
		Node:       nodeName(host),
		Durability: DurabilityPower,
		Profile:    ProfileDefault,
		Store:      Store{MinFree: engine.DefaultMinFree},
		Windows:    []Window{DefaultWindow("line")},
		OCR:        ocr.DefaultSettings(),
		Burst:      burst.DefaultRules(),
		Read:       Read{CatchUp: CatchUpOff},
		Dedup:      Dedup{FirstSight: ledger.DefaultRules().FirstSight, Tail: ledger.DefaultRules().Keep},
		Rules:      defaultRules(ProfileDefault),
		Focus: Focus{
			Usage: UsageSystem, LLM: true, Notify: NotifyDesktop, Keep: 720 * time.Hour,
			Times: notify.DefaultTimes(), Rules: attention.DefaultRules(), Eyes: landmarks.DefaultRules(),
		},
		LLM:       llm.DefaultSettings(),
		Privacy:   Privacy{Mask: MaskCloud},
		Replies:   conversation.DefaultReplies(),
		Judge:     judge.DefaultRules(),
		Memory:    Memory{recall.DefaultSharing(), llm.DefaultEmbedSettings(), memory.DefaultRules()},
		Growth:    growth.DefaultRules(),
		Actors:    Actors{Sleep: engine.DefaultIdle},
		Web:       Web{Addr: "127.0.0.1:7411"},
		Log:       Log{Level: "info", Format: "auto"},
		Retention: Retention{Verdicts: 720 * time.Hour},
		Shutdown:  Shutdown{Drain: 10 * time.Second},
	}
	if goos == "darwin" {
		c.OCR.Engine = OCRVision
	}
	return c
}
