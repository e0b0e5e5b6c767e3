package main

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
)

// serviceLabel names Kehai to macOS, as its bundle does.
const serviceLabel = "run.kehai"

// serviceLog is the file of a data directory that a service of macOS writes its log to.
const serviceLog = "service.log"

// launchd starts Kehai as an agent of the person who is logged in: a daemon has no window server.
type launchd struct {
	dir    string // of the agents
	domain string // gui/501
	pause  func(context.Context, time.Duration) error
}

func (l launchd) path() string   { return filepath.Join(l.dir, serviceLabel+".plist") }
func (l launchd) target() string { return l.domain + "/" + serviceLabel }

// What a file of launchd says beside the program.
const launchdFile = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- %s%s -->
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + serviceLabel + `</string>
	<key>AssociatedBundleIdentifiers</key>
	<string>` + serviceLabel + `</string>
	<key>ProgramArguments</key>
	<array>
%s	</array>
	<key>LimitLoadToSessionType</key>
	<string>Aqua</string>
	<key>ProcessType</key>
	<string>Interactive</string>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<true/>
	<key>ThrottleInterval</key>
	<integer>30</integer>
	<key>ExitTimeOut</key>
	<integer>30</integer>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardOutPath</key>
	<string>/dev/null</string>
	<key>StandardErrorPath</key>
	<string>%s</string>
</dict>
</plist>
`

func (l launchd) file(program string, args []string, data string) (string, error) {
	if strings.Contains(program, "--") {
		return "", fmt.Errorf("the path of the program must not contain two hyphens: %s", program)
	}
	var list strings.Builder
	for _, a := range append([]string{program}, args...) {
		fmt.Fprintf(&list, "\t\t<string>%s</string>\n", escaped(a))
	}
	return fmt.Sprintf(launchdFile, programMark, program, &list, escaped(filepath.Join(data, serviceLog))), nil
}

func escaped(s string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(s)) // a buffer takes everything
	return b.String()
}

func (l launchd) start(ctx context.Context) error {
	if _, err := l.ctl(ctx, "enable", l.target()); err != nil { // one that was disabled does not load
		return err
	}
	_, err := l.ctl(ctx, "bootstrap", l.domain, l.path())
	return err
}

// launchd ends a service behind the call; until then the same one cannot be started.
const (
	bootOutStep  = 200 * time.Millisecond
	bootOutTries = 200
)

func (l launchd) stop(ctx context.Context) error {
	loaded, _, err := l.print(ctx)
	if err != nil || !loaded {
		return err
	}
	_, failed := l.ctl(ctx, "bootout", l.target())
	for range bootOutTries {
		loaded, _, err := l.print(ctx)
		if err != nil || !loaded {
			return err
		}
		if err := l.pause(ctx, bootOutStep); err != nil {
			return err
		}
	}
	return errors.Join(failed, fmt.Errorf("launchd does not end %s", l.target()))
}

func (l launchd) forget(context.Context) error { return nil }

func (l launchd) state(ctx context.Context) (bool, string, error) {
	loaded, out, err := l.print(ctx)
	if err != nil {
		return false, "", err
	}
	if !loaded {
		return false, "launchd does not know it", nil
	}
	said := func(key string) string {
		for _, line := range strings.Split(out, "\n") {
			// Lines that are indented further are about something else.
			if value, ok := strings.CutPrefix(line, "\t"+key+" = "); ok {
				return value
			}
		}
		return ""
	}
	if pid, err := strconv.Atoi(said("pid")); err == nil && said("state") == "running" {
		return true, fmt.Sprintf("runs as process %d", pid), nil
	}
	text := "loaded, but does not run"
	if code := said("last exit code"); code != "" {
		text += "; its last exit code is " + code
	}
	return false, text, nil
}

// noService is how launchctl print exits for a service that is not loaded.
const noService = 113

func (l launchd) print(ctx context.Context) (loaded bool, out string, err error) {
	out, err = l.ctl(ctx, "print", l.target())
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == noService {
		return false, "", nil
	}
	return err == nil, out, err
}

func (l launchd) ctl(ctx context.Context, args ...string) (string, error) {
	return tool(ctx, "launchctl", args...)
}

// tool runs a program of the system. Its error has what it said.
func tool(ctx context.Context, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = hardware.ChildEnv(os.Environ(), hardware.ChildDesktop)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(said.String()))
	}
	return string(out), nil
}

// systemd starts Kehai as a unit of the person, with the graphical session.
type systemd struct{ dir string }

const systemdUnit = "kehai.service"

func (s systemd) path() string { return filepath.Join(s.dir, systemdUnit) }

const systemdFile = `# %s%s
[Unit]
Description=Kehai
After=graphical-session.target
PartOf=graphical-session.target

[Service]
ExecStart=%s
Restart=always
RestartSec=30
UMask=0077
StandardOutput=null

[Install]
WantedBy=graphical-session.target
`

func (s systemd) file(program string, args []string, _ string) (string, error) {
	var words []string
	for _, a := range append([]string{program}, args...) {
		if strings.ContainsAny(a, "\n\r") {
			return "", fmt.Errorf("a path with a line break: %q", a)
		}
		words = append(words, `"`+strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `$$`, `%`, `%%`).Replace(a)+`"`)
	}
	return fmt.Sprintf(systemdFile, programMark, program, strings.Join(words, " ")), nil
}

func (s systemd) start(ctx context.Context) error {
	for _, args := range [][]string{{"daemon-reload"}, {"enable", systemdUnit}, {"restart", systemdUnit}} {
		if _, err := s.ctl(ctx, args...); err != nil {
			return err
		}
	}
	return nil
}

func (s systemd) stop(ctx context.Context) error {
	shown, err := s.show(ctx)
	if err != nil || shown["LoadState"] == "not-found" {
		return err
	}
	_, err = s.ctl(ctx, "disable", "--now", systemdUnit)
	return err
}

func (s systemd) forget(ctx context.Context) error {
	_, err := s.ctl(ctx, "daemon-reload")
	return err
}

func (s systemd) state(ctx context.Context) (bool, string, error) {
	shown, err := s.show(ctx)
	switch {
	case err != nil:
		return false, "", err
	case shown["LoadState"] == "not-found":
		return false, "systemd does not know it", nil
	case shown["ActiveState"] != "active":
		return false, fmt.Sprintf("does not run: %s (%s, exit status %s)", shown["ActiveState"], shown["SubState"],
			shown["ExecMainStatus"]), nil
	case shown["UnitFileState"] != "enabled":
		return false, "runs as process " + shown["MainPID"] + ", but does not start with the desktop", nil
	}
	return true, "runs as process " + shown["MainPID"], nil
}

func (s systemd) show(ctx context.Context) (map[string]string, error) {
	out, err := s.ctl(ctx, "show", systemdUnit,
		"--property=LoadState,ActiveState,SubState,MainPID,UnitFileState,ExecMainStatus")
	shown := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		key, value, _ := strings.Cut(line, "=")
		shown[key] = value
	}
	return shown, err
}

func (s systemd) ctl(ctx context.Context, args ...string) (string, error) {
	return tool(ctx, "systemctl", append([]string{"--user"}, args...)...)
}
