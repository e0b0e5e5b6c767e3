package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/user"
	"path/filepath"
	goruntime "runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/hardware/robot"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/datadir"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/keyring"
	"github.com/kehai-run/kehai/runtime/private"
)

// finding is the result of one check of doctor.
type finding struct {
	what string
	ok   bool
	need bool   // false: a run works without it
	text string // what there is, or what is wrong
	mend string // command or step that fixes it
}

// fine is a check that found nothing wrong.
func fine(what, format string, args ...any) finding {
	return finding{what: what, ok: true, text: fmt.Sprintf(format, args...)}
}

type doctorVerb struct {
	*app
	ask, firstRun bool
}

func (v *doctorVerb) command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine needs, and say what mends it",
		Long: `Checks OCR and its languages, fonts, the desktop with its permissions, what
attention sees and where its notices go, the language model's server, the store,
modes and owners of all that is private, the page's port, and what a Kehai that
runs reports. Notes are no faults: drawn windows need no desktop. It exits with 1
if something is missing without which a run does not work.

A Mac shows a program in its settings only once that has asked for a permission: --ask
makes it ask for what is missing, and opens the settings. Nothing else of Kehai asks.

--first-run leads through what shows only on your desktop, in a quarter of an hour: pictures,
displays, hiding, covering, a message from a phone, rows, notices. Each step is checked and
written to kehai-first-run.txt, a report for a bug without titles and messages. Nothing is typed.`,
		Example: `  kehai doctor
  kehai doctor --first-run      before the first kehai watch, beside a chat and a phone
  kehai doctor --ask            on a Mac: ask for Screen Recording and Accessibility`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := v.load()
			if err != nil {
				return err
			}
			if v.ask {
				if err := askSystem(cmd.Context(), v.stdout); err != nil {
					return err
				}
			}
			if v.firstRun {
				ctx, stop := interruptible(cmd.Context())
				defer stop()
				d, err := openDesk(cfg, v.stdout)
				if err != nil {
					return err
				}
				return errors.Join(v.first(ctx, cmd.InOrStdin(), d, hardware.Pause), d.Close())
			}
			return v.report(examine(cmd.Context(), cfg))
		},
	}
	cmd.Flags().BoolVar(&v.ask, "ask", false, "have the system ask for the permissions that are missing")
	cmd.Flags().BoolVar(&v.firstRun, "first-run", false, "try out this desktop step by step, and write a report")
	return cmd
}

func examine(ctx context.Context, cfg config.Config) []finding {
	running, err := control.Dial(ctx, cfg.Data)
	if err == nil {
		defer running.Close()
		cfg = watchedBy(ctx, running, cfg)
	}
	list := append([]finding{checkOCR(ctx, cfg), checkFonts()}, checkDesktop(ctx, cfg)...)
	list = append(list, checkFocus(ctx, cfg)...)
	store := checkStore(cfg, running != nil)
	list = append(append(list, checkLLM(ctx, cfg)...), store)
	if store.ok { // else it may be encrypted, and lack its key
		list = append(list, checkEncryption(cfg)...)
	}
	list = append(list, checkKeys(cfg, running != nil))
	list = append(list, checkPrivate(cfg)...)
	list = append(list, checkNames(ctx, cfg, running)...)
	if err == nil {
		return append(list, checkRunning(ctx, running)...)
	}
	return append(list, checkPort(cfg))
}

// findingIndent is the indentation below a finding.
const findingIndent = "               "

func (v *doctorVerb) report(list []finding) error {
	out := v.stdout
	bad := 0
	for _, f := range list {
		mark := out.paint("32", "ok  ")
		switch {
		case !f.ok && f.need:
			mark = out.paint("31", "MISS")
			bad++
		case !f.ok:
			mark = out.paint("33", "note")
		}
		out.lines(fmt.Sprintf("%s  %-8s ", mark, f.what), findingIndent, f.text)
		if !f.ok && f.mend != "" {
			out.printf("%s%s\n", findingIndent, out.paint("1", f.mend))
		}
	}
	if bad > 0 {
		v.stderr.printf("kehai: %d of %d checks failed\n", bad, len(list))
		return errReported
	}
	return nil
}

func checkFonts() finding {
	fonts := drawn.Fonts()
	f := finding{what: "fonts", ok: fonts.Japanese(), text: fonts.String()}
	if !f.ok {
		f.mend = "sudo apt-get install fonts-ipaexfont-gothic"
		if goruntime.GOOS == "darwin" {
			f.mend = "put ipaexg.ttf (IPAex Gothic) into /Library/Fonts; fonts that come with macOS were not readable"
		}
	}
	return f
}

// checkDesktop checks what is needed to watch windows of other applications. Nothing is
// missing unless a configured window needs it.
func checkDesktop(ctx context.Context, cfg config.Config) []finding {
	ctx, cancel := context.WithTimeout(ctx, desktopTimeout)
	defer cancel()
	list := systemFindings(ctx, wants{
		screen: slices.ContainsFunc(cfg.Windows, onDesktop),
		tree:   slices.ContainsFunc(cfg.Windows, func(w config.Window) bool { return w.Structure == native.structure }),
	})
	for _, w := range cfg.Windows {
		if onDesktop(w) {
			list = append(list, checkWindow(ctx, w))
		}
	}
	return append(list, fine("typing", "%s", typists(cfg)))
}

// typists says what types into the configured windows.
func typists(cfg config.Config) string {
	text := "replies are typed into the drawn window by Kehai itself, into real ones by " + native.typist
	if slices.ContainsFunc(cfg.Windows, onDesktop) {
		text = "replies that you approve or list (replies.auto) are typed by " + native.typist
	}
	if !robot.Built {
		text += "; a C compiler, and the headers that `make build` names, would add robotgo"
	}
	return text
}

// desktopTimeout is how long the desktop may take to answer.
const desktopTimeout = 10 * time.Second

// wants is what the configured windows need of the desktop.
type wants struct{ screen, tree bool }

func onDesktop(w config.Window) bool { return w.Driver == native.name }

// checkWindow checks whether a configured window is open; it may be opened later.
func checkWindow(ctx context.Context, w config.Window) finding {
	f := finding{what: "window", text: w.Name + ": "}
	found, above, err := findInStack(ctx, w.Capture())
	if err != nil {
		f.text += err.Error()
		f.mend = "open the window, or set its ref to what `kehai windows` lists"
		return f
	}
	f.ok = true
	f.text += fmt.Sprintf("open (%s, %d×%d)", found.App, found.Box.Dx(), found.Box.Dy())
	if cover, ok := coveredBy(above, found); ok && goruntime.GOOS == "darwin" {
		f.ok = false
		f.text += ", and wholly covered by " + cover.App
		f.mend = "leave a strip of it visible: some applications, LINE among them, draw nothing while they are covered"
	}
	return f
}

func checkStore(cfg config.Config, running bool) finding {
	f := finding{what: "store", need: true, ok: true, text: cfg.Data}
	if exposed := exposedData(cfg); exposed != nil {
		f.ok, f.text, f.mend = false, exposed.Path+" "+exposed.What, exposed.Mend
		return f
	}
	if running {
		f.text += ", in use by the Kehai that runs"
		return f
	}
	if _, err := os.Stat(cfg.Data); errors.Is(err, os.ErrNotExist) {
		f.text += ", will be made by the first run"
		if above, err := canMake(cfg.Data); err != nil {
			f.ok, f.mend = false, "give --data a place where this user may write, or the right to it: ls -ld "+above
			f.text = fmt.Sprintf("%s cannot be made in %s: %v", cfg.Data, above, err)
		}
		return f
	}
	offline, err := runtime.OpenOffline(cfg)
	if err == nil {
		err = offline.Close()
	}
	if err != nil {
		f.ok, f.text = false, err.Error()
		if errors.Is(err, engine.ErrInUse) {
			f.mend = "stop that process, or choose another directory with --data"
		}
	}
	return f
}

// canMake fails if this user may not make a directory that does not exist; above is where.
func canMake(dir string) (above string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return dir, err
	}
	for above = filepath.Dir(dir); ; above = filepath.Dir(above) {
		err := unix.Access(above, unix.W_OK|unix.X_OK)
		if !errors.Is(err, os.ErrNotExist) || above == filepath.Dir(above) {
			return above, err
		}
	}
}

// checkEncryption tells what somebody with the files can read of a store.
func checkEncryption(cfg config.Config) []finding {
	if _, err := os.Stat(filepath.Join(cfg.Data, "store")); err != nil || datadir.Encrypted(cfg) {
		return nil
	}
	return []finding{{what: "store", text: notEncrypted, mend: "kehai encrypt"}}
}

// notEncrypted says what is open in a store that is not encrypted.
const notEncrypted = "texts in the store are sealed; the rest, such as times and numbers, is not encrypted"

// checkKeys checks whether all keys of the store are there, and private. While a Kehai
// runs, it does not look at what they seal.
func checkKeys(cfg config.Config, running bool) finding {
	dir := filepath.Join(cfg.Data, "keys")
	n, err := keyring.Inspect(dir)
	switch {
	case err != nil:
		return badKeys(err)
	case n == 0:
		return fine("keys", "%s, will be made by the first run; back it up as well as the store", dir)
	}
	if !running {
		switch closed, err := datadir.Lacking(cfg, zerolog.Nop(), conversationOf); {
		case errors.Is(err, engine.ErrNoKey), errors.Is(err, engine.ErrRecord):
			return finding{what: "keys", need: true, text: err.Error(), mend: lackingMend}
		case err == nil && closed.Rows > 0: // checkStore tells of another error
			return finding{what: "keys", text: lackingText(closed), mend: mendLacking(closed)}
		}
	}
	if !keyring.ExcludedFromTimeMachine(dir) { // on a Mac
		return finding{what: "keys", text: "Time Machine copies " + dir + ": its backups open what is forgotten later",
			mend: "tmutil addexclusion " + strconv.Quote(dir) + ", and back the keys up with kehai key backup FILE"}
	}
	if keyring.InKeychain(dir) {
		return fine("keys", "%d in %s, opened by one in the keychain; kehai key backup FILE copies all", n, dir)
	}
	return fine("keys", "%d in %s; back it up as well as the store", n, dir)
}

// badKeys tells why the keys are not as they must be.
func badKeys(err error) finding {
	f := finding{what: "keys", need: true, text: err.Error()}
	var exposed *private.Exposed
	switch {
	case errors.As(err, &exposed):
		f.text, f.mend = exposed.Path+" "+exposed.What, exposed.Mend
	case errors.Is(err, engine.ErrKeyAway): // which says what helps
		f.mend = "what needs the key waits, and goes on by itself once it can be used"
	}
	return f
}

// exposedData lists what other users can access in the data directory, nil for nothing.
func exposedData(cfg runtime.Config) *private.Exposed {
	var exposed *private.Exposed
	for _, err := range []error{
		private.Check(cfg.Data, private.Unwritable),
		private.Check(filepath.Join(cfg.Data, "store"), private.Closed),
		private.Check(filepath.Join(cfg.Data, "windows"), private.Closed),
	} {
		if errors.As(err, &exposed) {
			return exposed
		}
	}
	return nil
}

// checkPrivate lists all that is private, with modes and owners, and tells what others may read or change
// of it, but for what checkStore and checkKeys tell.
func checkPrivate(cfg config.Config) []finding {
	places, err := datadir.Places(cfg)
	var list []finding
	if err != nil {
		list = append(list, finding{what: "private", text: err.Error()})
	}
	if len(places) == 0 {
		return list
	}
	told, lines := exposedData(cfg), make([]string, len(places))
	for i, p := range places {
		lines[i] = fmt.Sprintf("%v %-8s %s", p.Mode, userName(p.Owner), p.Path)
		if p.Inside > 0 {
			lines[i] += fmt.Sprintf(", %d in it", p.Inside)
		}
		for _, e := range p.Exposed {
			if e.Path != filepath.Join(cfg.Data, "keys") && (told == nil || e.Path != told.Path) {
				list = append(list, finding{what: "private", need: true, text: e.Path + " " + e.What, mend: e.Mend})
			}
		}
	}
	return append([]finding{fine("private", "%s", strings.Join(lines, "\n"))}, list...)
}

// userName returns the name of the user with a number on this machine.
func userName(id int) string {
	if u, err := user.LookupId(strconv.Itoa(id)); err == nil {
		return u.Username
	}
	return fmt.Sprintf("user %d", id)
}

// checkPort checks whether the next run can serve its page.
func checkPort(cfg config.Config) finding {
	ln, err := net.Listen("tcp", cfg.Web.Addr)
	if err != nil {
		return finding{
			what: "page", need: true, text: fmt.Sprintf("%s is taken: %v", cfg.Web.Addr, err),
			mend: "kehai run --no-web, or KEHAI_WEB_ADDR=127.0.0.1:PORT kehai run",
		}
	}
	ln.Close()
	return fine("page", "http://%s is free", cfg.Web.Addr)
}
