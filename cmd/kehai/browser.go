package main

import (
	"context"
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	goruntime "runtime"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/runtime/control"
)

// browser shows a page of a running Kehai.
type browser struct {
	keys    control.PageBackend
	program string        // that opens a file as the person's desktop does
	timeout time.Duration // within which the page has its key, else it is not open
}

func newBrowser(keys control.PageBackend) browser {
	b := browser{keys, "xdg-open", 20 * time.Second}
	if goruntime.GOOS == "darwin" {
		b.program = "/usr/bin/open"
	}
	return b
}

// link is an address that opens a page once.
func (b browser) link(ctx context.Context, path string) (string, error) {
	address, err := b.keys.PageLink(ctx, "")
	return strings.Replace(address, "/#", path+"#", 1), err
}

// redirect leads to an address. Every user sees the arguments of a process, so they name a file,
// which this user alone may read.
const redirect = `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=%[1]s">
<title>Kehai</title>
<p><a href="%[1]s">Kehai</a></p>
`

// open reports whether a page is open now: it has changed the code of its address for a key.
func (b browser) open(ctx context.Context, path string) (opened bool, err error) {
	before, err := b.ids(ctx)
	if err != nil {
		return false, err
	}
	address, err := b.link(ctx, path)
	if err != nil {
		return false, err
	}
	ended, remove, err := b.lead(address)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, remove()) }()
	if ended == nil {
		return false, nil
	}
	late := time.NewTimer(b.timeout)
	defer late.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-late.C:
			return false, nil
		case failed := <-ended:
			if failed != nil {
				return false, nil
			}
			ended = nil // somebody else shows it
		case <-look.C:
			now, err := b.ids(ctx)
			if err != nil || slices.ContainsFunc(now, func(id string) bool { return !slices.Contains(before, id) }) {
				return err == nil, err
			}
		}
	}
}

// lead has the desktop open an address. ended gets how its program ended; nil: it did not begin. The file that leads
// there must stay until it was read.
func (b browser) lead(address string) (ended <-chan error, remove func() error, err error) {
	file, err := keep(fmt.Sprintf(redirect, html.EscapeString(address)))
	if err != nil {
		return nil, func() error { return nil }, err
	}
	remove = func() error { return os.Remove(file) }
	cmd := exec.Command(b.program, file) // it may be the browser itself, which outlives this process
	cmd.Env = hardware.ChildEnv(os.Environ(), hardware.ChildDesktop)
	if cmd.Start() != nil {
		return nil, remove, nil
	}
	end := make(chan error, 1)
	go func() { end <- cmd.Wait() }()
	return end, remove, nil
}

func (b browser) ids(ctx context.Context) (ids []string, err error) {
	list, err := b.keys.PageKeys(ctx)
	for _, k := range list {
		ids = append(ids, k.ID)
	}
	return ids, err
}

// keep writes a file that this user alone may read, in memory if the system has a place for that.
func keep(text string) (name string, err error) {
	f, err := os.CreateTemp(os.Getenv("XDG_RUNTIME_DIR"), "kehai-*.html")
	if err != nil {
		f, err = os.CreateTemp("", "kehai-*.html")
	}
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}
