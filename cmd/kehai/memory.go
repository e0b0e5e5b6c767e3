package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
)

// memoryVerb is the family of verbs about what is remembered.
type memoryVerb struct{ *app }

func (v *memoryVerb) command() *cobra.Command {
	return family(&cobra.Command{
		Use:   "memory",
		Short: "Look into what is remembered, and import what was said before",
		Long: `Kehai remembers each message of either side, as it reads now. kehai recall asks for
what helps to answer a question; these commands look at single messages, import what
was said elsewhere, and check that all that is stored is found.`,
		Example: `  kehai memory import chat.jsonl
  kehai memory search 引っ越し
  kehai memory verify`,
	}, (&memoryImport{app: v.app}).command(), (&memorySearch{app: v.app}).command(),
		(&memoryUnrelated{app: v.app}).command(),
		(&memoryShow{app: v.app}).command(), (&memoryRun{app: v.app}).command(), (&memoryStats{app: v.app}).command(),
		(&memoryLearned{app: v.app}).states(), (&memoryLearned{app: v.app}).preferences(),
		(&memoryLearned{app: v.app}).people(), (&memoryLearned{app: v.app}).timeline(),
		(&memoryVerify{app: v.app}).command(), (&memoryReindex{app: v.app}).command())
}

// askingMemory is the work of a verb on the memory.
type askingMemory func(ctx context.Context, b control.MemoryBackend, args []string) error

// withMemory is withBackend for questions to the memory.
func (a *app) withMemory(verb askingMemory) func(*cobra.Command, []string) error {
	return a.withBackend(aboutMemory(verb))
}

func aboutMemory(verb askingMemory) asking {
	return func(ctx context.Context, b control.Backend, args []string) error {
		m, ok := b.(control.MemoryBackend)
		if !ok {
			return errors.New("this Kehai remembers nothing")
		}
		return verb(ctx, m, args)
	}
}

// Scores below which a message does not fit well, and below which one is not worth a line.
const (
	poor  = 0.2
	faint = 0.005 // prints as 0.01
)

// showRecalled prints what was recalled, a message a line.
func showRecalled(a *app, r control.Recollection, why bool) error {
	note := ""
	switch {
	case len(r.Found) == 0:
		note = "nothing is remembered of that"
	case r.Found[0].Score < poor:
		note = "no message fits that well; the nearest:"
	}
	if note != "" {
		if err := a.stderr.printf("%s\n", note); err != nil {
			return err
		}
	}
	for i, f := range r.Found {
		if i > 0 && f.Score < faint {
			continue
		}
		if err := showFound(a, f, why); err != nil {
			return err
		}
	}
	if r.Loading {
		if err := a.stderr.printf("the memory is still being read: ask again for more\n"); err != nil {
			return err
		}
	}
	if !why {
		return nil
	}
	return showRoutes(a, r)
}

func showFound(a *app, f control.Recalled, why bool) error {
	where := f.Called
	if where == "" {
		where = string(f.Conversation)
	}
	text := strings.Join(strings.Fields(f.Text), " ")
	if text == "" {
		text = "(not kept any more, or not shared)"
	}
	switch {
	case f.Former:
		text += "  (no longer so)"
	case f.State != "":
		text += "  (now " + f.State + ")"
	}
	err := a.stdout.printf("%6.2f  %s  %s  %s: %s\n", f.Score, f.At.Local().Format("2006-01-02 15:04"), where, f.Who(),
		text)
	if err != nil || !why {
		return err
	}
	var routes []string
	for _, h := range f.Routes {
		routes = append(routes, fmt.Sprintf("%s %.2f", h.Route, h.Score))
	}
	return a.stdout.printf("        %s  by %s\n", f.ID, strings.Join(routes, ", "))
}

// showRoutes prints the results of a recall's routes.
func showRoutes(a *app, r control.Recollection) error {
	var t table
	t.row("ROUTE", "HITS", "MS", "LEFT OUT")
	for _, route := range r.Routes {
		t.row(route.Route, route.Hits, fmt.Sprintf("%.2f", route.TookMS), route.Failed)
	}
	if s := r.Selection; s != nil {
		t.row(strings.TrimSpace("model "+s.Model), s.Offered, "", s.Failed)
	}
	if err := t.write(a.stdout); err != nil {
		return err
	}
	for _, told := range r.Background {
		if err := a.stdout.lines("known: ", "  ", told.String()); err != nil {
			return err
		}
	}
	return nil
}

type memoryImport struct{ *app }

func (v *memoryImport) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import FILE.jsonl",
		Short: "Have a file of messages remembered",
		Long: `Has messages remembered that were said before, or elsewhere. The file has one JSON
object a line: id, conversation (a name, such as line:Hana, or an id), at (RFC 3339),
speaker, text, and own (true for our side). A name that was never seen is a new
conversation, which is found again once its window shows it. An id that is known in its conversation is
the same message: nothing happens, or it changes to how it reads now. So an import that
was stopped goes on where it is called again.

A line that is none ends the import, which says which; what stands before it is
imported. "-" reads standard input. It works whether Kehai runs or not.`,
		Example: "  kehai memory import chat.jsonl",
		Args:    cobra.ExactArgs(1),
	}
	var in *cobra.Command
	run := v.withStore(aboutMemory(func(ctx context.Context, b control.MemoryBackend, args []string) error {
		return v.run(ctx, in, b, args[0])
	}))
	cmd.RunE = func(cmd *cobra.Command, args []string) error { in = cmd; return run(cmd, args) }
	return cmd
}

// atOnce is how many bytes are handed over together, each message with what it takes beside its
// text, sideBySide of how many conversations at the same time.
const (
	atOnce      = 8 << 20
	besideTexts = 256
	sideBySide  = 64
)

// importing passes messages on by conversation, and counts them.
type importing struct {
	*app
	b          control.MemoryBackend
	waiting    map[messages.ConversationID][]messages.Event
	order      []messages.ConversationID
	size       int // of what waits
	read, kept int
	began      time.Time
	reported   time.Time
}

func (v *memoryImport) run(ctx context.Context, cmd *cobra.Command, b control.MemoryBackend, file string) error {
	f, err := openInput(cmd, "memory import", file)
	if err != nil {
		return badUsage("%w", err)
	}
	defer f.Close()
	i := &importing{app: v.app, b: b, waiting: map[messages.ConversationID][]messages.Event{}, began: time.Now(),
		reported: time.Now()}
	err = control.ReadImport(f, func(c messages.ConversationID, e messages.Event) error {
		if i.waiting[c] == nil {
			i.order = append(i.order, c)
		}
		i.waiting[c] = append(i.waiting[c], e)
		if i.size += len(e.Text) + besideTexts; i.size < atOnce {
			return nil
		}
		return i.flush(ctx)
	})
	if err == nil || errors.Is(err, control.ErrImport) {
		err = errors.Join(err, i.flush(ctx))
	}
	if err == nil {
		err = b.Settled(ctx)
	}
	took := time.Since(i.began)
	said := i.stdout.printf("%d messages read, %d of them new or changed, in %s (%.0f/s)\n", i.read, i.kept,
		took.Round(time.Millisecond), float64(i.read)/took.Seconds())
	if errors.Is(err, control.ErrImport) {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return errors.Join(err, said)
}

// flush passes on what waits.
func (i *importing) flush(ctx context.Context) error {
	var all sync.WaitGroup
	places := make(chan struct{}, sideBySide)
	kept, errs := make([]int, len(i.order)), make([]error, len(i.order))
	for at, c := range i.order {
		places <- struct{}{}
		all.Go(func() {
			kept[at], errs[at] = i.b.Import(ctx, c, i.waiting[c])
			<-places
		})
	}
	all.Wait()
	for at, c := range i.order {
		if errs[at] == nil {
			i.read += len(i.waiting[c])
			i.kept += kept[at]
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	clear(i.waiting)
	i.order, i.size = nil, 0
	if i.stderr.tty && time.Since(i.reported) > time.Second {
		i.reported = time.Now()
		return i.stderr.printf("%d messages, %.0f/s\n", i.read, float64(i.read)/time.Since(i.began).Seconds())
	}
	return nil
}

type memorySearch struct {
	*app
	conversation string
	k            int
	asJSON       bool
}

func (v *memorySearch) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "search WORDS", Short: "Find messages by their words alone; - reads them from the standard input",
		Example: "  kehai memory search 京都 --conversation line:Hana", Args: cobra.ExactArgs(1),
		RunE: v.withText(v.withMemory(func(ctx context.Context, b control.MemoryBackend, args []string) error {
			if v.k < 1 || v.k > 1000 {
				return badUsage("--k %d: want 1 to 1000", v.k)
			}
			found, err := b.Recall(ctx, control.RecallQuery{Text: args[0], K: v.k, Words: true,
				Conversation: messages.ConversationID(v.conversation)})
			if err == nil && len(found.Found) == 0 {
				err = known(ctx, b, v.conversation)
			}
			switch {
			case err != nil:
			case v.asJSON:
				err = encodeEach(v.stdout, found.Found)
			default:
				err = showRecalled(v.app, found, false)
			}
			return v.shut(ctx, b, len(found.Found), err)
		})),
	}
	cmd.Flags().StringVar(&v.conversation, "conversation", "", "look into `CONVERSATION` and what it sees")
	cmd.Flags().IntVar(&v.k, "k", 20, "how many at most: `N` from 1 to 1000")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object a line")
	return cmd
}

type memoryShow struct {
	*app
	conversation string
	asJSON       bool
}

func (v *memoryShow) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show ID", Short: "Show a message that is remembered, and what it answers",
		Example: "  kehai memory show 7qf2ydkq3b6aqzpt", Args: cobra.ExactArgs(1), RunE: v.withMemory(v.run),
	}
	cmd.Flags().StringVar(&v.conversation, "conversation", "", "`CONVERSATION` of the message, if several have the id")
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func (v *memoryShow) run(ctx context.Context, b control.MemoryBackend, args []string) error {
	e, err := b.Remembered(ctx, messages.ConversationID(v.conversation), messages.MessageID(args[0]))
	if err != nil {
		return cmp.Or(known(ctx, b, v.conversation), err)
	}
	if v.asJSON {
		return v.stdout.json().Encode(e)
	}
	who := e.Speaker
	if e.Own {
		who = "you"
	}
	var t table
	t.row("id", e.ID)
	t.row("conversation", e.Conversation, e.Called)
	t.row("said", e.At.Local().Format(time.RFC3339), "by "+who)
	t.row("kept", e.KeptAt.Local().Format(time.RFC3339), e.Source)
	if e.ReplyTo != "" {
		t.row("answers", e.ReplyTo)
	}
	if e.Thread != "" {
		t.row("talk of", e.Thread)
	}
	labels := map[string]string{control.LinkAnsweredBy: "answered by", control.LinkContinuation: "goes on with",
		control.LinkSameTopic: "same topic"}
	for _, l := range e.Links {
		t.row(labels[l.Label], l.Event.ID, l.Event.Who())
	}
	for _, n := range e.Names {
		t.row("names", n.Name, n.Kind)
	}
	for _, a := range e.Apart {
		t.row("unrelated to", a.Run, "since "+a.At.Local().Format(time.RFC3339))
	}
	if err := t.write(v.stdout); err != nil {
		return err
	}
	if e.Answers != nil {
		if err := v.stdout.lines("> ", "> ", e.Answers.Text); err != nil {
			return err
		}
	}
	if err := v.stdout.lines("", "", e.Text); err != nil {
		return err
	}
	return showLearned(v.app, e)
}

type memoryRun struct {
	*app
	asJSON bool
}

func (v *memoryRun) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run ID", Short: "Show what a reply was given to rest on: an earlier recall",
		Example: "  kehai memory run c-3uwbezwinvqa/run.7", Args: cobra.ExactArgs(1),
		RunE: v.withMemory(func(ctx context.Context, b control.MemoryBackend, args []string) error {
			run, err := b.Run(ctx, args[0])
			switch {
			case err != nil:
				return err
			case v.asJSON:
				return v.stdout.json().Encode(run)
			}
			return showRecalled(v.app, run, true)
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

type memoryUnrelated struct {
	*app
	undo bool
}

func (v *memoryUnrelated) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "unrelated RUN ID", Short: "Say that a message has nothing to do with what it was recalled for",
		Long: `Says that a message has nothing to do with the question of a run. Questions like that one
do not recall it any more in this conversation; all others do. With --undo it is recalled
again. "kehai why" and "kehai memory run" name runs and what they recalled.`,
		Example: "  kehai memory unrelated c-3uwbezwinvqa/run.7 7qf2ydkq3b6aqzpt", Args: cobra.ExactArgs(2),
	}
	cmd.RunE = v.withStore(aboutMemory(func(ctx context.Context, b control.MemoryBackend, args []string) error {
		return b.Unrelated(ctx, args[0], messages.MessageID(args[1]), v.undo)
	}))
	cmd.Flags().BoolVar(&v.undo, "undo", false, "it has to do with it after all")
	return cmd
}

type memoryStats struct {
	*app
	asJSON bool
}

func (v *memoryStats) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "stats", Short: "Count what is remembered", Example: "  kehai memory stats --json", Args: cobra.NoArgs,
		RunE: v.withMemory(func(ctx context.Context, b control.MemoryBackend, _ []string) error {
			s, err := b.MemoryStats(ctx)
			switch {
			case err != nil:
				return err
			case v.asJSON:
				return v.shut(ctx, b, 1, v.stdout.json().Encode(s))
			}
			var t table
			t.row("messages", fmt.Sprint(s.Events))
			t.row("conversations", fmt.Sprint(s.Conversations))
			t.row("retrieval runs", fmt.Sprint(s.Runs))
			if s.Model != "" {
				t.row("vectors of "+s.Model, fmt.Sprintf("%d of %d", s.Vectors, s.Events))
			}
			if s.OldVectors > 0 {
				t.row("vectors of other models", fmt.Sprint(s.OldVectors))
			}
			if s.NotEmbedded != "" {
				t.row("no vectors for now", s.NotEmbedded)
			}
			return v.shut(ctx, b, 1, t.write(v.stdout))
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

type memoryVerify struct {
	*app
	asJSON bool
}

func (v *memoryVerify) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify", Short: "Read all that is remembered, and compare the index with it",
		Example: "  kehai memory verify", Args: cobra.NoArgs,
		RunE: v.withMemory(func(ctx context.Context, b control.MemoryBackend, _ []string) error {
			sum, err := b.VerifyMemory(ctx)
			if err != nil {
				return err
			}
			if v.asJSON {
				err = v.stdout.json().Encode(sum)
			} else {
				err = v.stdout.printf("%d messages are stored; %d are not found, %d are found and not stored, "+
					"%d differ\n", sum.Events, len(sum.Missing), sum.Extra, len(sum.Differs))
			}
			if err == nil && !sum.OK() {
				err = errors.New("the index is not what is stored: kehai memory reindex makes it anew")
			}
			return v.shut(ctx, b, 1, err)
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

type memoryReindex struct {
	*app
	asJSON bool
}

func (v *memoryReindex) command() *cobra.Command {
	cmd := &cobra.Command{
		Use: "reindex", Short: "Make the index anew from all that is remembered; the old one serves meanwhile",
		Example: "  kehai memory reindex", Args: cobra.NoArgs,
		RunE: v.withMemory(func(ctx context.Context, b control.MemoryBackend, _ []string) error {
			began := time.Now()
			n, err := b.Reindex(ctx)
			if err != nil {
				return err
			}
			took := time.Since(began)
			if v.asJSON {
				return v.shut(ctx, b, 1, v.stdout.json().Encode(struct {
					Events int     `json:"events"`
					TookMS float64 `json:"took_ms"`
				}{n, float64(took.Microseconds()) / 1000}))
			}
			return v.shut(ctx, b, 1, v.stdout.printf("%d messages, in %s\n", n, took.Round(time.Millisecond)))
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}
