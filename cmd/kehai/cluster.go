package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/admin"
	"github.com/kehai-run/kehai/runtime/cluster"
	"github.com/kehai-run/kehai/runtime/cluster/identity"
	"github.com/kehai-run/kehai/runtime/cluster/seat"
	"github.com/kehai-run/kehai/runtime/cluster/transport"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
)

// clusterVerb is the family of verbs about several machines.
type clusterVerb struct {
	*app
	listen        string
	asJSON, force bool
	anyway        bool
}

// dialMembers opens a connection to another member; nil: as usual.
var dialMembers transport.Dial

func seatOptions(cfg config.Config, log zerolog.Logger) seat.Options {
	return seat.Options{Data: cfg.Data, Node: cfg.Node, Listen: cfg.Cluster.Listen, Seeds: cfg.Cluster.Seeds, Log: log,
		Key: func() ([]byte, error) { return datadir.StoreKey(cfg) }, Dial: dialMembers,
		Sharing: admin.SharingOf(cfg), Zone: admin.ZoneOf(cfg)}
}

// seated adds this machine's seat in its cluster, if it belongs to one.
func seated(cfg config.Config, log zerolog.Logger, opts []runtime.Option) ([]runtime.Option, error) {
	if !identity.Exists(cfg.Data) {
		return opts, nil
	}
	s, err := seat.Open(seatOptions(cfg, log))
	if err != nil {
		return nil, err
	}
	return append(opts, runtime.WithCluster(s)), nil
}

func (v *clusterVerb) command() *cobra.Command {
	return family(&cobra.Command{
		Use:   "cluster",
		Short: "Have several machines work as one Kehai",
		Long: `Screens, cameras and keyboards belong to their machine; conversations belong to all of
them. The first machine begins a cluster, and lets others in with a code. From then on
kehai run is a member of it, without any flag.`,
		Example: `  kehai cluster init; kehai run          on the first machine
  kehai cluster invite                   on the first machine, while it runs
  kehai cluster join CODE; kehai run     on the second machine
  kehai cluster status`,
	}, v.initCommand(), v.inviteCommand(), v.joinCommand(), v.statusCommand(), v.leaveCommand(),
		v.removeCommand(), v.promoteCommand(), v.witnessCommand(), v.backupCommand(), v.restoreCommand())
}

func (v *clusterVerb) listenFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().StringVar(&v.listen, "listen", "",
		"listen at `HOST:PORT` for the others: an address or an interface (default: chosen, port 7412)")
	return cmd
}

// options returns the options of a seat, with the flags.
func (v *clusterVerb) options() (seat.Options, error) {
	cfg, err := v.load(func(cfg *config.Config) error {
		if v.listen == "" {
			return nil
		}
		return cfg.SetFlag("--listen", "cluster.listen", v.listen)
	})
	if err != nil {
		return seat.Options{}, err
	}
	return seatOptions(cfg, v.logger(cfg)), nil
}

// atRest is options while no Kehai runs on the data directory.
func (v *clusterVerb) atRest(cmd *cobra.Command) (seat.Options, error) {
	o, err := v.options()
	if err != nil {
		return o, err
	}
	c, err := control.Dial(cmd.Context(), o.Data)
	if err == nil {
		c.Close()
		return o, fmt.Errorf("a Kehai runs on %s: stop it first, and start it again afterwards", o.Data)
	}
	if errors.Is(err, control.ErrNotRunning) {
		return o, nil
	}
	return o, err
}

func (v *clusterVerb) initCommand() *cobra.Command {
	return v.listenFlag(&cobra.Command{
		Use:   "init",
		Short: "Begin a cluster with this machine as its first member",
		Long: `Makes this machine the first member of a new cluster: an authority that issues
certificates, and a certificate, in DATA/cluster. What is stored here becomes what the
cluster has; nothing is converted. Start kehai run (again) afterwards: it then listens
for the others.`,
		Example: `  kehai cluster init
  kehai cluster init --listen en0:7412`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := v.atRest(cmd)
			if err != nil {
				return err
			}
			id, err := seat.Found(o)
			if err != nil {
				return err
			}
			return v.stdout.printf("%s is the first member of cluster %s\n"+
				"now: kehai run here, then kehai cluster invite\n", id.Node(), id.Book().Cluster)
		},
	})
}

// asking asks the running member.
func (v *clusterVerb) asking(do func(ctx context.Context, c control.ClusterBackend, args []string) error,
) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		cfg, err := v.load()
		if err != nil {
			return err
		}
		c, err := control.Dial(cmd.Context(), cfg.Data)
		if errors.Is(err, control.ErrNotRunning) {
			if !identity.Exists(cfg.Data) {
				return identity.ErrNone
			}
			return fmt.Errorf("start `kehai run` first: %w", err)
		}
		if err != nil {
			return err
		}
		defer c.Close()
		err = do(cmd.Context(), c, args)
		if errors.Is(err, control.ErrNoCluster) && identity.Exists(cfg.Data) {
			return errors.New("this Kehai was started before it belonged to a cluster: stop it, and start it again")
		}
		return err
	}
}

func (v *clusterVerb) inviteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "invite",
		Short: "Print a code that lets one machine join, within ten minutes",
		Long: `Prints a code for kehai cluster join on another machine. It is valid once and for ten
minutes, and it is a secret: whoever has it can join. It names this machine's address and
the fingerprint of the cluster's authority, so that no other machine can answer in its
place.`,
		Example: `  kehai cluster invite
  kehai cluster invite --json | jq -r .code`,
		Args: cobra.NoArgs,
		RunE: v.asking(func(ctx context.Context, c control.ClusterBackend, _ []string) error {
			i, err := c.Invite(ctx)
			if err != nil {
				return err
			}
			if v.asJSON {
				return v.stdout.json().Encode(i)
			}
			if err := v.stdout.printf("%s\n", i.Code); err != nil {
				return err
			}
			return v.stderr.printf("until %s, on the other machine: kehai cluster join CODE\n",
				i.Expires.Local().Format("15:04:05"))
		}),
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func (v *clusterVerb) joinCommand() *cobra.Command {
	return v.listenFlag(&cobra.Command{
		Use:   "join CODE",
		Short: "Make this machine a member, with a code from another member",
		Long: `Makes this machine a member of the cluster that the code is from, and fetches the keys
of its conversations. Nothing may be stored here yet: a cluster has one store. "-" reads
the code from standard input, so that it stays out of the history of the shell.`,
		Example: `  kehai cluster join kehai-aeb3ph-…
  pbpaste | kehai cluster join -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return v.join(cmd, args[0], cluster.Voter)
		},
	})
}

func (v *clusterVerb) join(cmd *cobra.Command, code string, role cluster.Role) error {
	if code == "-" {
		raw, err := io.ReadAll(io.LimitReader(cmd.InOrStdin(), 1<<16))
		if err != nil {
			return fmt.Errorf("read the code: %w", err)
		}
		code = strings.TrimSpace(string(raw))
	}
	o, err := v.atRest(cmd)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	id, err := seat.Join(ctx, o, code, role)
	if err != nil {
		return err
	}
	next := "kehai run"
	if role == cluster.Witness {
		next = "kehai cluster witness"
	}
	return v.stdout.printf("%s is a member of cluster %s, with %s\nnow: %s\n", id.Node(), id.Book().Cluster,
		strings.Join(others(id), ", "), next)
}

func others(id *identity.Identity) (names []string) {
	for _, m := range id.Book().Members {
		if m.Node != id.Node() {
			names = append(names, m.Node)
		}
	}
	return names
}

func (v *clusterVerb) statusCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show the members, who decides, and who is behind",
		Long: `Shows the members of the cluster as this machine knows them: what each one is, whether
it is up, how many actors it owns, how many changes it is behind (with those since, if it does
not answer), and when it last answered. A ZONE that is local asks models on its own
machine alone (llm.tier: local), and local-embedding has no embedder elsewhere either:
what began there stays on members of which the same holds. Where no Kehai runs, it shows
who were the members when it last ran.`,
		Example: `  kehai cluster status
  kehai cluster status --json | jq '.members[] | select(.up | not)'`,
		Args: cobra.NoArgs,
		RunE: v.status,
	}
	cmd.Flags().BoolVar(&v.asJSON, "json", false, "one JSON object")
	return cmd
}

func (v *clusterVerb) status(cmd *cobra.Command, args []string) error {
	show := func(c control.Cluster) error {
		if v.asJSON {
			return v.stdout.json().Encode(c)
		}
		return showCluster(v.stdout, c)
	}
	err := v.asking(func(ctx context.Context, c control.ClusterBackend, _ []string) error {
		s, err := c.Cluster(ctx)
		if err != nil {
			return err
		}
		return show(s)
	})(cmd, args)
	if !errors.Is(err, control.ErrNotRunning) {
		return err
	}
	o, err := v.options()
	if err != nil {
		return err
	}
	s, err := seat.Open(o)
	if err != nil {
		return err
	}
	return show(seat.Describe(s.Identity()))
}

func showCluster(out terminal, c control.Cluster) error {
	state := "not running"
	switch {
	case c.Running && c.Ready && c.Leader != "":
		state = "led by " + c.Leader
	case c.Running:
		state = "NO MAJORITY: nothing is sent, and what is seen is held, until more members are up"
	}
	out.printf("cluster %s, %s; this is %s, whose certificate is good until %s\n", c.Cluster, state, c.Node,
		c.Expires.Local().Format("2006-01-02"))
	for _, p := range c.Problems {
		out.lines("  ", "    ", p)
	}
	var t table
	t.row("MEMBER", "ADDRESS", "ROLE", "UP", "OWNS", "BEHIND", "LAST CONTACT", "ZONE")
	for _, m := range c.Members {
		if !c.Running { // of them no more is known
			t.row(m.Node, m.Address, m.Role, "?", "?", "?", "?", "?")
			continue
		}
		up, contact, behind := "no", "never", any(m.Lag)
		if m.Up {
			up = "yes"
		}
		switch {
		case m.Node == c.Node:
			contact = "this machine"
		case m.Contact != nil:
			contact = m.Contact.String()
		default:
			behind = "?"
		}
		t.row(m.Node, m.Address, m.Role, up, m.Owns, behind, contact, cmp.Or(m.Zone, "-"))
	}
	return t.write(out)
}

func (v *clusterVerb) leaveCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "leave",
		Short: "Take this machine out of its cluster",
		Long: `Takes this machine, on which no Kehai may run, out of its cluster. Its certificate opens
nothing any more. Its copy of the conversations and their keys is put aside in
DATA/aside-…, in case the others do not have all of it: delete that directory once you are
sure. The last member keeps everything, and is alone again; what began elsewhere with
llm.tier: local asks its models from then on, so that this says so and does nothing
without --anyway if those are not local.`,
		Example: `  kehai cluster leave
  kehai cluster leave --anyway  also if something has to wait then, or is told to other models
  kehai cluster leave --force   tell nobody: then remove this machine on another member`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := v.atRest(cmd)
			if err != nil {
				return err
			}
			if !identity.Exists(o.Data) {
				return identity.ErrNone
			}
			if !v.force && !v.anyway {
				if err := v.unfit(o); err != nil {
					return err
				}
				if n, err := seat.Stranded(cmd.Context(), o); err != nil || n > 0 {
					return cmp.Or(err, strands(o.Node, n, "kehai cluster leave --anyway"))
				}
			}
			aside, err := seat.Leave(cmd.Context(), o, v.force)
			if err != nil {
				return err
			}
			if aside == "" {
				return v.stdout.printf("this was the last member: all that is stored stays here, and kehai run is " +
					"alone\n")
			}
			remove := ""
			if v.force {
				remove = "; remove this machine on another member"
			}
			return v.stdout.printf("this machine has left%s\nits copy of the conversations and their keys lie in %s: "+
				"delete that once you are sure that the others have everything\n", remove, aside)
		},
	}
	cmd.Flags().BoolVar(&v.force, "force", false, "tell nobody, also if the identity is damaged")
	return v.anywayFlag(cmd)
}

// unfit says what the models of the last member would be told, which is alone then.
func (v *clusterVerb) unfit(o seat.Options) error {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	open := func() (engine.Store, error) { return datadir.OpenStore(cfg, v.quiet(cfg), nil) }
	n, err := seat.Unfit(o, open)
	if err != nil || n == 0 {
		return err
	}
	return fmt.Errorf("%s that began where llm.tier is local wait here, and would ask the models of this machine, "+
		"which are farther away, once it is alone. First set llm.tier: local (and memory.embedding.tier: local if it "+
		"has an embedder); to have them ask those: kehai cluster leave --anyway", count(n, "actor"))
}

func (v *clusterVerb) anywayFlag(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&v.anyway, "anyway", false, "also if what began there has to wait then, or is told to other "+
		"models")
	return cmd
}

// strands says what waits without a machine, and what helps.
func strands(node string, n int, anyway string) error {
	return fmt.Errorf("%s that began where llm.tier is local live on %s, and no other member is up whose models "+
		"are as near: without it they wait, and so does what is written to them, until there is one. First start "+
		"one, or set llm.tier: local on a member with a model of its own (and memory.embedding.tier: local if it "+
		"has an embedder); to go on now: %s", count(n, "actor"), node, anyway)
}

func (v *clusterVerb) removeCommand() *cobra.Command {
	return v.anywayFlag(&cobra.Command{
		Use:     "remove NODE",
		Aliases: []string{"revoke"},
		Short:   "Take another machine out of the cluster, also one that was lost or stolen",
		Long: `Takes a machine out of the cluster, whether it is up or not. What it owned moves to the
others. Its certificate and its key are refused for ever, wherever they turn up, and
connections that it has are cut at once; to come back it joins with a new code. It keeps
its copy of what it had, which is as safe as its disk; kehai cluster leave there removes
that.

What began there with llm.tier: local waits for another such member, and if none is up,
this says so and does nothing without --anyway. A reply that was handed to the machine to
be typed counts as sent or not, nobody knows, within a minute: it is not sent again, as
the machine may have typed it before it heard of this; what it begins later no majority
confirms, and it types nothing.`,
		Example: `  kehai cluster remove mac-b
  kehai cluster remove mac-b --anyway   one that was stolen: also if something has to wait`,
		Args: cobra.ExactArgs(1),
		RunE: v.asking(func(ctx context.Context, c control.ClusterBackend, args []string) error {
			n, err := c.Stranded(ctx, args[0])
			switch {
			case err != nil && !v.anyway:
				return err
			case n > 0 && !v.anyway:
				return strands(args[0], n, "kehai cluster remove "+args[0]+" --anyway")
			}
			if err := c.Expel(ctx, args[0]); err != nil {
				return err
			}
			return v.stdout.printf("%s is no member any more, and its certificate opens nothing\n", args[0])
		}),
	})
}

func (v *clusterVerb) promoteCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "promote",
		Short: "Let this machine decide, as the one that did is lost",
		Long: `Of two machines one decides and the other follows. If the one that decides is lost, the
other reads on and sends nothing, until a person promotes it, while its Kehai is stopped.
Do that only if the lost one is off: two that decide would both answer. When it comes
back it refuses to run, and what it had not passed on is put aside by kehai cluster leave
--force, and never mixed in.`,
		Example: "  kehai cluster promote",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := v.atRest(cmd)
			if err != nil {
				return err
			}
			if !identity.Exists(o.Data) {
				return identity.ErrNone
			}
			if err := seat.Promote(o); err != nil {
				return err
			}
			return v.stdout.printf("this machine decides from its next kehai run on\n")
		},
	}
}

func (v *clusterVerb) witnessCommand() *cobra.Command {
	return v.listenFlag(&cobra.Command{
		Use:   "witness [CODE]",
		Short: "Be a voter that reads nothing, on a machine that is always on",
		Long: `A witness makes a third vote for two machines, so that one of them may die. It gets no
keys: what it keeps is sealed, and it cannot read it. With a CODE from kehai cluster
invite it joins first; then it runs until Ctrl-C.`,
		Example: `  kehai cluster witness kehai-aeb3ph-…
  kehai cluster witness`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if err := v.join(cmd, args[0], cluster.Witness); err != nil {
					return err
				}
			}
			return v.witness(cmd.Context())
		},
	})
}

// witness votes until it has to stop.
func (v *clusterVerb) witness(ctx context.Context) (err error) {
	cfg, err := v.load()
	if err != nil {
		return err
	}
	ctx, stop := interruptible(ctx)
	defer stop()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	log := v.logger(cfg)
	s, err := seat.Open(seatOptions(cfg, log))
	if err != nil {
		return err
	}
	st, err := datadir.OpenStore(cfg, log, fail)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.Close()) }()
	if err := s.Witness(st, fail); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	if err := v.stderr.printf("%s is a witness. Ctrl-C stops.\n", s.Identity().Node()); err != nil {
		return err
	}
	if err := s.Run(ctx); err != nil {
		return err
	}
	if why := context.Cause(ctx); !errors.Is(why, context.Canceled) {
		return why
	}
	return nil
}
