package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/control"
)

// service is what starts Kehai at login and again after it died.
type service interface {
	// path is the file that describes it.
	path() string
	// file is what that file says of a program with arguments. Logs go to a file beside data.
	file(program string, args []string, data string) (string, error)
	// start has a new file count, and the program run.
	start(ctx context.Context) error
	// stop ends the program and has it start no more. It is no error if none was started.
	stop(ctx context.Context) error
	// forget is called after the file was removed.
	forget(ctx context.Context) error
	// state says whether the program runs, in a few words, as the system knows it.
	state(ctx context.Context) (running bool, text string, err error)
}

// systemService is the one of a system.
func systemService(goos string) (service, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil, err
	}
	switch goos {
	case "darwin":
		dir := filepath.Join(home, "Library", "LaunchAgents")
		return launchd{dir: dir, domain: fmt.Sprintf("gui/%d", os.Getuid()), pause: hardware.Pause}, nil
	case "linux":
		dir, err := os.UserConfigDir()
		return systemd{dir: filepath.Join(dir, "systemd", "user")}, err
	}
	return nil, badUsage("service: nothing is known of services on %s: have `kehai run` start at login by its means",
		goos)
}

type serviceVerb struct {
	*app
	goos    string // "": this one's
	program string // "": this one
}

func (v *serviceVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "service",
		Short: "Start Kehai at login, and again after it died",
		Long: `Installs kehai run, with --config and --data if given, as a LaunchAgent of macOS or as a
user unit of systemd. Both start it with the desktop and again if it ends; what it
prints is not kept, its log is. Installing again changes what has to be changed.

On a Mac install from the bundle that make app builds, in a place where it stays: a bare
binary is asked for its permissions again and again. Settings in the environment
(KEHAI_*) are those of a shell: write them into the configuration.`,
		Example: `  kehai service install --config ~/kehai.yaml
  kehai service status
  kehai service remove
  /Applications/Kehai.app/Contents/MacOS/kehai service install`,
	}
	sub := func(use, short string, run func(context.Context, service) error) *cobra.Command {
		return &cobra.Command{
			Use: use, Short: short, Example: "  kehai service " + use, Args: cobra.NoArgs,
			RunE: func(cmd *cobra.Command, _ []string) error {
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				v.goos = cmp.Or(v.goos, goruntime.GOOS)
				s, err := systemService(v.goos)
				if err != nil {
					return err
				}
				return run(ctx, s)
			},
		}
	}
	return family(cmd,
		sub("install", "Have Kehai start at login, and start it", v.install),
		sub("remove", "Stop it, and have it start no more; what is stored stays", v.remove),
		sub("status", "Say whether it is installed, runs and answers (1 if not)", v.status))
}

func (v *serviceVerb) install(ctx context.Context, s service) error {
	want, err := v.wanted(s)
	if err != nil {
		return err
	}
	kept, err := os.ReadFile(s.path())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	running, _, err := s.state(ctx)
	if err != nil {
		return err
	}
	if string(kept) == want && running {
		return v.stdout.printf("%s is installed as it should be, and runs\n", s.path())
	}
	if kept != nil {
		if err := s.stop(ctx); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(s.path()), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(s.path(), []byte(want), 0o600); err != nil {
		return err
	}
	if err := s.start(ctx); err != nil {
		return fmt.Errorf("%s is written, but not started: %w", s.path(), err)
	}
	return v.stdout.printf("%s: Kehai runs, and starts with the desktop (kehai service status)\n", s.path())
}

// wanted is the file that belongs to this program and its configuration.
func (v *serviceVerb) wanted(s service) (string, error) {
	cfg, err := v.load()
	if err != nil {
		return "", err
	}
	program, args := v.program, []string{"run"}
	if program == "" {
		if program, err = os.Executable(); err != nil {
			return "", err
		}
	}
	for _, set := range [][2]string{
		{"--config", cmp.Or(v.config, os.Getenv("KEHAI_CONFIG"))}, {"--data", v.data},
	} {
		if set[1] == "" {
			continue
		}
		path, err := filepath.Abs(set[1])
		if err != nil {
			return "", err
		}
		args = append(args, set[0], path)
	}
	v.warn(program)
	return s.file(program, args, cfg.Data)
}

func (v *serviceVerb) warn(program string) {
	if v.goos == "darwin" && !strings.Contains(program, ".app/") {
		v.stderr.printf("note: this is a bare binary, which macOS asks for permissions again and again: make app\n")
	}
	for _, set := range os.Environ() {
		name, _, _ := strings.Cut(set, "=")
		if strings.HasPrefix(name, "KEHAI_") && name != "KEHAI_CONFIG" {
			v.stderr.printf("note: %s counts in this shell alone: write it into the configuration\n", name)
		}
	}
}

func (v *serviceVerb) remove(ctx context.Context, s service) error {
	if err := s.stop(ctx); err != nil {
		return err
	}
	err := os.Remove(s.path())
	if errors.Is(err, os.ErrNotExist) {
		return v.stdout.printf("no service is installed\n")
	}
	if err == nil {
		err = s.forget(ctx)
	}
	if err != nil {
		return err
	}
	return v.stdout.printf("removed %s; what is stored stays\n", s.path())
}

// status fails unless Kehai is installed, runs and answers.
func (v *serviceVerb) status(ctx context.Context, s service) error {
	list := []finding{v.checkFile(s)}
	running, text, err := s.state(ctx)
	if err != nil {
		text = err.Error()
	}
	list = append(list, finding{what: "system", ok: running && err == nil, need: true, text: text,
		mend: "kehai service install"})
	cfg, err := v.load()
	if err != nil {
		return err
	}
	answers := finding{what: "kehai", need: true, mend: "kehai doctor"}
	if client, err := control.Dial(ctx, cfg.Data); err != nil {
		answers.text = err.Error()
	} else {
		defer client.Close()
		answers = checkRunning(ctx, client)[0]
	}
	return (&doctorVerb{app: v.app}).report(append(list, answers))
}

// checkFile says whether the service is installed, and starts a program that is there.
func (v *serviceVerb) checkFile(s service) finding {
	f := finding{what: "file", need: true, text: s.path(), mend: "kehai service install"}
	raw, err := os.ReadFile(s.path())
	if err != nil {
		f.text = "not installed: " + err.Error()
		return f
	}
	program, ok := programOf(string(raw))
	switch _, err := os.Stat(program); {
	case !ok:
		f.text += " was written by another program"
	case err != nil:
		f.text += " starts " + program + ", which is not there"
	default:
		f.ok = true
		f.text += " starts " + program
	}
	return f
}

// programMark begins the line in which a file of a service names its program, for status.
const programMark = "kehai service: "

func programOf(file string) (string, bool) {
	lines := strings.Split(file, "\n")
	i := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, programMark) })
	if i < 0 {
		return "", false
	}
	_, program, _ := strings.Cut(lines[i], programMark)
	program, _, _ = strings.Cut(program, " -->")
	return program, true
}
