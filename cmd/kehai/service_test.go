package main

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What a system's program says and how it exits, as documented. A loaded service stays loaded
// for a while after bootout.
const fakeLaunchctl = `#!/bin/sh
cd "$HOME/fake" || exit 1
echo "$*" >> calls
case $1 in
print)
	if [ ! -f loaded ]; then
		echo 'Could not find service "run.kehai" in domain for user gui: 501' >&2
		exit 113
	fi
	printf 'gui/501/run.kehai = {\n\tactive count = 1\n'
	if [ -f dead ]; then printf '\tstate = not running\n\tlast exit code = 78\n'
	else printf '\tstate = running\n\tenvironment = {\n\t\tpid = 1\n\t}\n\tpid = 4711\n'; fi
	printf '}\n'
	if [ -f ending ]; then rm ending loaded; fi ;;
enable) rm -f disabled ;;
bootstrap)
	if [ -f loaded ] || [ -f disabled ] || [ ! -f "$3" ]; then
		echo 'Bootstrap failed: 5: Input/output error' >&2
		exit 5
	fi
	touch loaded ;;
bootout) [ -f loaded ] || exit 3; touch ending; echo 'Boot-out failed: 36: Operation now in progress' >&2; exit 36 ;;
*) exit 64 ;;
esac
`

const fakeSystemctl = `#!/bin/sh
cd "$HOME/fake" || exit 1
[ "$1" = --user ] || exit 1
shift
echo "$*" >> calls
state() { if [ -f "$1" ]; then echo "$2"; else echo "$3"; fi; }
case $1 in
daemon-reload) if [ -f "$XDG_CONFIG_HOME/systemd/user/kehai.service" ]; then touch known; else rm -f known; fi ;;
show)
	echo "LoadState=$(state known loaded not-found)"
	if [ -f dead ]; then printf 'ActiveState=failed\nSubState=failed\nMainPID=0\nExecMainStatus=78\n'
	else printf 'ActiveState=%s\nSubState=running\nMainPID=4711\n' "$(state active active inactive)"; fi
	echo "UnitFileState=$(state enabled enabled disabled)" ;;
enable) [ -f known ] || { echo 'Unit file kehai.service does not exist.' >&2; exit 1; }; touch enabled ;;
disable) rm -f enabled; [ "$2" = --now ] && rm -f active ;;
restart) [ -f known ] || exit 5; touch active ;;
*) exit 1 ;;
esac
`

// serviceWorld is a home without a service, and a system that knows none.
func serviceWorld(t *testing.T, goos string) (run func(args ...string) (string, error), fake string) {
	dir := t.TempDir()
	fake = filepath.Join(dir, "fake")
	for name, script := range map[string]string{"launchctl": fakeLaunchctl, "systemctl": fakeSystemctl} {
		if err := errors.Join(os.MkdirAll(filepath.Join(dir, "bin"), 0o700), os.MkdirAll(fake, 0o700),
			os.WriteFile(filepath.Join(dir, "bin", name), []byte(script), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("KEHAI_CONFIG", "")
	t.Setenv("KEHAI_LOG_LEVEL", "warn")
	program := filepath.Join(dir, `a "b" & $c %d`, "kehai")
	if err := errors.Join(os.MkdirAll(filepath.Dir(program), 0o700), os.WriteFile(program, nil, 0o700)); err != nil {
		t.Fatal(err)
	}
	return func(args ...string) (string, error) {
		var said strings.Builder
		out := newTerminal(&said)
		a := &app{stdout: out, stderr: out, data: filepath.Join(dir, "data")}
		v := &serviceVerb{app: a, goos: goos, program: program}
		cmd := v.command()
		if len(args) == 2 {
			v.data, args = args[1], args[:1]
		}
		cmd.SetArgs(args)
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetOut(io.Discard)
		err := cmd.ExecuteContext(t.Context())
		return said.String(), err
	}, fake
}

func TestService(t *testing.T) {
	for goos, moves := range map[string]struct{ first, again, changed string }{
		"darwin": {"print enable bootstrap", "print", "print print bootout print print enable bootstrap"},
		"linux":  {"show daemon-reload enable restart", "show", "show show disable daemon-reload enable restart"},
	} {
		t.Run(goos, func(t *testing.T) {
			run, fake := serviceWorld(t, goos)
			calls := func() string {
				raw, _ := os.ReadFile(filepath.Join(fake, "calls"))
				os.Remove(filepath.Join(fake, "calls"))
				var first []string
				for line := range strings.Lines(string(raw)) {
					first = append(first, strings.Fields(line)[0])
				}
				return strings.Join(first, " ")
			}
			says := func(verb string, fails bool, want ...string) {
				t.Helper()
				said, err := run(strings.Fields(verb)...)
				if fails != (err != nil) {
					t.Errorf("service %s = %v, want an error: %v", verb, err, fails)
				}
				for _, w := range want {
					if !strings.Contains(said, w) {
						t.Errorf("service %s says %q, want %q in it", verb, said, w)
					}
				}
			}
			moved := func(want string) {
				t.Helper()
				if got := calls(); got != want {
					t.Errorf("the system was told %q, want %q", got, want)
				}
			}
			says("status", true, "MISS  file     not installed", "does not know it")
			says("remove", false, "no service is installed")
			calls()
			mark(t, fake, "disabled")
			says("install", false, "Kehai runs", "KEHAI_LOG_LEVEL counts in this shell alone")
			moved(moves.first)
			says("status", true, "ok    file ", "kehai", "ok    system   runs as process 4711", "MISS  kehai ")
			calls()
			says("install", false, "as it should be")
			moved(moves.again)
			says("install /other", false, "Kehai runs")
			moved(moves.changed)
			mark(t, fake, "dead")
			says("status", true, "ok    file ", "MISS  system ", "78")
			says("remove", false, "what is stored stays")
			says("remove", false, "no service is installed")
			says("status", true, "not installed", "does not know it")
		})
	}
}

// TestBundle: macOS knows the service and the bundle by one name, and has words for what it asks.
func TestBundle(t *testing.T) {
	raw, err := os.ReadFile("Info.plist")
	if err != nil {
		t.Fatal(err)
	}
	var info struct {
		Keys    []string `xml:"dict>key"`
		Strings []string `xml:"dict>string"`
	}
	if err := xml.Unmarshal(raw, &info); err != nil || len(info.Strings) == 0 || info.Strings[0] != serviceLabel ||
		info.Keys[0] != "CFBundleIdentifier" || !slices.Contains(info.Keys, "NSScreenCaptureUsageDescription") {
		t.Errorf("Info.plist is %+v, %v, want the identifier %s and why the screen is captured", info, err,
			serviceLabel)
	}
}

func mark(t *testing.T, dir, name string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestServiceFiles: paths are quoted as each system wants it.
func TestServiceFiles(t *testing.T) {
	program := `/a "b" & $c %d\e/kehai`
	plist, err := launchd{}.file(program, []string{"run"}, "/data")
	if err != nil {
		t.Fatal(err)
	}
	var parsed struct {
		Keys    []string `xml:"dict>key"`
		Args    []string `xml:"dict>array>string"`
		Strings []string `xml:"dict>string"`
	}
	err = xml.Unmarshal([]byte(plist), &parsed)
	if err != nil || !slices.Equal(parsed.Args, []string{program, "run"}) || !slices.Contains(parsed.Strings, "Aqua") ||
		!slices.Contains(parsed.Keys, "KeepAlive") {
		t.Errorf("launchd gets %+v, %v, want the program with its argument, in a session with windows", parsed, err)
	}
	if got, ok := programOf(plist); !ok || got != program {
		t.Errorf("programOf() = %q, %v, want %q", got, ok, program)
	}
	if _, err := (launchd{}).file("/a--b", nil, ""); err == nil {
		t.Error("launchd takes a program that would break its file")
	}
	unit, err := systemd{}.file(program, []string{"run"}, "/data")
	if want := `ExecStart="/a \"b\" & $$c %%d\\e/kehai" "run"`; err != nil || !strings.Contains(unit, want+"\n") {
		t.Errorf("systemd gets %q, %v, want %s", unit, err, want)
	}
	if _, err := (systemd{}).file("/a\nb", nil, ""); err == nil {
		t.Error("systemd takes a path with a line break")
	}
	if _, err := systemService("plan9"); err == nil {
		t.Error("systemService(plan9) = nil, want what to do")
	}
}
