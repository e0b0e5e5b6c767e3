package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
)

type interviewVerb struct {
	*app
	project, script, name, in string
	stop                      bool
}

func (v *interviewVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "interview --project FILE",
		Short: "Interview somebody in this terminal or in a window",
		Long: `Leads an interview: each line that is typed is an answer. Without a language model it
asks three fixed questions, then those of must_ask as they stand; interviews.resume: true
in the configuration lets it go on once a model answers again. Names, numbers and addresses
are replaced by labels before anything is stored. [skip] skips a question, [stop] ends the
interview. An interview that was broken off goes on with the same --name.

The project file says what is to be found out:

  goal: what makes mornings hard
  tone: polite_soft            # or casual, formal
  must_ask: ["Who is with you then?"]
  must_not_ask: ["salary"]
  limits: {max_turns: 12, max_deep: 2, max_conversations: 30}

With --script the answers are the lines of a file; the interview stays open where
they end before it does.

With --conversation a Kehai that runs leads it in a window that it watches. It opens the
interview there; each of its messages waits as a draft (kehai drafts), unless the
conversation is on the list of replies.auto. What was said before stays as it is, and once
the interview is over the conversation goes on as before. Without --project it says how far
the interview has come; --stop ends it.`,
		Example: `  kehai interview --project mornings.yaml
  kehai interview --project mornings.yaml --name hana --script answers.txt
  kehai interview --project mornings.yaml --conversation line:Hana`,
		Args: cobra.NoArgs,
		RunE: v.run,
	}
	fl := cmd.Flags()
	fl.StringVar(&v.project, "project", "", "what is to be found out: a `FILE` in YAML")
	fl.StringVar(&v.script, "script", "", "take the answers from a `FILE`, one a line")
	fl.StringVar(&v.name, "name", "", "whose interview it is; the same `NAME` goes on with it")
	fl.StringVar(&v.in, "conversation", "", "lead it in the window of a known conversation, by its `NAME` or id")
	fl.BoolVar(&v.stop, "stop", false, "end the interview in that conversation")
	return cmd
}

// maxProject is the largest project file, in bytes.
const maxProject = 256 << 10

func (v *interviewVerb) run(cmd *cobra.Command, _ []string) (err error) {
	switch {
	case v.in != "" && (v.name != "" || v.script != "" || v.stop && v.project != ""):
		return badUsage("interview: --conversation stands alone, or with --project or --stop")
	case v.in == "" && v.stop:
		return badUsage("interview: --stop wants --conversation NAME")
	case v.in != "":
		return v.watched(cmd.Context())
	case v.project == "":
		return badUsage("interview: want --project FILE; see `kehai interview --help`")
	}
	file, err := v.plan()
	if err != nil {
		return err
	}
	answers := cmd.InOrStdin()
	if v.script != "" {
		f, err := os.Open(v.script)
		if err != nil {
			return fmt.Errorf("interview: %w", err)
		}
		defer f.Close()
		answers = f
	}
	cfg, err := v.load()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	b, end, err := v.talk(ctx, cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	project, err := b.Define(ctx, filepath.Base(v.project), file)
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	c, err := b.Begin(ctx, control.Begin{Channel: messages.ChannelHost, Name: v.name, Project: project})
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	return v.lead(ctx, b, c, answers, startOf(string(file)))
}

// plan reads the project file.
func (v *interviewVerb) plan() ([]byte, error) {
	in, err := os.Open(v.project)
	if err != nil {
		return nil, fmt.Errorf("interview: %w", err)
	}
	defer in.Close()
	file, err := io.ReadAll(io.LimitReader(in, maxProject+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("interview: %w", err)
	case len(file) > maxProject:
		return nil, fmt.Errorf("interview: %s has more than %d bytes", v.project, maxProject)
	}
	return file, nil
}

// watched begins or stops an interview in a window, or says how far it has come.
func (v *interviewVerb) watched(ctx context.Context) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	b, err := control.Dial(ctx, cfg.Data)
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	defer b.Close()
	c := messages.ConversationID(v.in)
	switch {
	case v.stop:
		err = b.Stop(ctx, c)
	case v.project != "":
		err = v.begin(ctx, b, c)
	}
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	talk, err := b.Talk(ctx, c, control.TalkQuery{Limit: 1})
	going := func() bool { return talk.Interview != nil && talk.Interview.State != messages.InterviewDone }
	for err == nil && v.stop && going() { // its end is on its way
		if _, err = b.News(ctx, c, talk.LastEventID, nil, time.Minute); err == nil {
			talk, err = b.Talk(ctx, c, control.TalkQuery{Limit: 1})
		}
	}
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	i := talk.Interview
	if i == nil {
		return fmt.Errorf("interview: %w", control.ErrNoInterview)
	}
	err = v.stdout.printf("%s: %s, %d of at most %d answers, %d things named%s\n", talk.Called, i.State, i.Turns,
		i.MaxTurns, len(i.Items), why(ctx, b, i.Reason))
	if len(talk.Drafts) > 0 {
		err = errors.Join(err, v.stdout.printf("what it says next waits for you: kehai drafts\n"))
	}
	return err
}

// begin makes a known conversation an interview.
func (v *interviewVerb) begin(ctx context.Context, b control.TalkBackend, c messages.ConversationID) error {
	file, err := v.plan()
	if err != nil {
		return err
	}
	project, err := b.Define(ctx, filepath.Base(v.project), file)
	if err != nil {
		return err
	}
	_, err = b.Begin(ctx, control.Begin{Conversation: c, Project: project})
	return err
}

// talk reaches the Kehai that runs on the data, or starts one without windows.
func (v *interviewVerb) talk(ctx context.Context, cfg config.Config) (control.TalkBackend, func() error, error) {
	client, err := control.Dial(ctx, cfg.Data)
	if err == nil {
		return client, func() error { client.Close(); return nil }, nil
	}
	if !errors.Is(err, control.ErrNotRunning) {
		return nil, nil, err
	}
	cfg.Windows, cfg.Web.Enabled, cfg.Focus.Enabled = nil, false, false
	log := v.logger(cfg)
	log = log.Level(max(log.GetLevel(), zerolog.WarnLevel))
	rt, err := runtime.New(cfg, append([]runtime.Option{runtime.WithVersion(version), runtime.WithLogger(log)},
		v.extra...)...)
	if err != nil {
		return nil, nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan error, 1)
	go func() { ended <- rt.Run(running) }()
	<-rt.Ready()
	return rt.Talk(), func() error { cancel(); return <-ended }, nil
}

// startOf returns the signal that opens an interview, in the language of its project.
func startOf(project string) string {
	if strings.ContainsFunc(project, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
		return "[インタビュー開始]"
	}
	return "[interview start]"
}

// lead sends what is typed and shows the answers until the interview is over.
func (v *interviewVerb) lead(ctx context.Context, b control.TalkBackend, c messages.ConversationID, answers io.Reader,
	start string) error {
	talk, err := b.Talk(ctx, c, control.TalkQuery{Limit: 1})
	if err != nil {
		return fmt.Errorf("interview: %w", err)
	}
	next, said := start, true
	lines, number := bufio.NewScanner(answers), 0
	lines.Buffer(nil, 4*control.MaxSaid+2)
	if n := len(talk.Messages); n > 0 {
		if err := v.stdout.printf("%s\n", talk.Messages[n-1].Content); err != nil {
			return err
		}
		next, said = "", false
	}
	for {
		if said {
			if err := v.say(ctx, b, c, next); err != nil {
				return err
			}
		}
		talk, err := b.Talk(ctx, c, control.TalkQuery{Limit: 1})
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		if i := talk.Interview; i != nil && i.State == messages.InterviewDone {
			return v.stderr.printf("The interview is over%s: %d answers, %d things named.\n",
				why(ctx, b, i.Reason), i.Turns, len(i.Items))
		}
		number++
		if !lines.Scan() {
			if errors.Is(lines.Err(), bufio.ErrTooLong) {
				return tooLong(number)
			}
			name := strings.TrimPrefix(talk.Called, string(messages.ChannelHost)+":")
			return errors.Join(lines.Err(),
				v.stderr.printf("The interview stays open: --name %q goes on with it.\n", name))
		}
		if next = strings.TrimSpace(lines.Text()); utf8.RuneCountInString(next) > control.MaxSaid {
			return tooLong(number)
		}
		if said = next != ""; said && v.script != "" {
			if err := v.stdout.printf("> %s\n", next); err != nil {
				return err
			}
		}
	}
}

func tooLong(line int) error {
	return fmt.Errorf("interview: answer %d: %w: shorten it, or give it as several; what was said before is stored",
		line, control.ErrSayText)
}

// why says why an interview ended, and what came from a language model that did not answer.
func why(ctx context.Context, b control.TalkBackend, reason string) string {
	said := over[reason]
	known, ok := b.(control.Backend)
	if reason != "fallback" || !ok {
		return said
	}
	s, err := known.Status(ctx)
	if err != nil || s.LLM == nil || len(s.LLM.Failing) == 0 || s.LLM.Failing[0].Said == "" {
		return said
	}
	return strings.TrimSuffix(said, ")") + ": " + s.LLM.Failing[0].Said + ")"
}

// over says why an interview ended, where that is not its plan.
var over = map[string]string{
	"max_turns": " (the most answers of its project were given)",
	"fallback":  " (with fixed questions, because no language model answered)",
	"stopped":   " (it was stopped)",
}

// say sends one message and shows the answer.
func (v *interviewVerb) say(ctx context.Context, b control.TalkBackend, c messages.ConversationID, text string) error {
	a, err := b.Say(ctx, c, control.Say{Text: text})
	for after := a.After; err == nil && ctx.Err() == nil; {
		var news control.News
		news, err = b.News(ctx, c, after, nil, time.Minute)
		for _, e := range news.Events {
			switch {
			case e.Event == control.NewsMessage && e.Message.Role == control.RoleAssistant:
				err = errors.Join(err, v.stdout.printf("%s\n", e.Message.Content))
			case e.Event == control.NewsState && e.State.State == messages.ReplyHeld && e.State.Rule != "":
				err = errors.Join(err, v.stderr.printf("%s\n", "Sending is paused: kehai resume sending goes on."))
			case e.Event == control.NewsState && e.State.State == messages.ReplyDrafted:
				err = errors.Join(err, v.stderr.printf("What comes next waits for you in another terminal: "+
					"kehai drafts show %s, then approve, edit or reject.\n", e.State.Reply))
			case e.Event == control.NewsDone && slices.Contains(e.State.Answers, a.Message):
				return err
			}
		}
		after = news.Last
	}
	if err == nil {
		err = ctx.Err()
	}
	return fmt.Errorf("interview: %w", err)
}
