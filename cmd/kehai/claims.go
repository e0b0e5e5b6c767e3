package main

import (
	"fmt"
	"sync"

	"github.com/kehai-run/kehai/hardware"
)

// claims know which configured window shows which window of the desktop. Two that mean
// the same one, by different queries, would deliver each message twice. It may be used
// concurrently.
type claims struct {
	mu    sync.Mutex
	shown map[string]string // configured window: the driver's id of what it shows
}

// claim records that a configured window shows a window of the desktop. It fails if
// another one already does.
func (c *claims) claim(name, ref string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for other, taken := range c.shown {
		if taken == ref && other != name {
			delete(c.shown, name)
			return fmt.Errorf("window %s is watched already, as %s in the configuration: take %s out of it, "+
				"or give it a ref that means another window: %w", ref, other, name, hardware.ErrUnavailable)
		}
	}
	c.shown[name] = ref
	return nil
}

// release records that a configured window shows nothing.
func (c *claims) release(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.shown, name)
}
