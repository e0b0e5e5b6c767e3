package datadir

import (
	"context"

	"github.com/kehai-run/kehai/runtime/engine"
)

// Disk is what only a store in files does. Store in package store describes the methods.
type Disk interface {
	Compact(context.Context) error
	PurgeLater() error
	Purge(context.Context) (gone bool, err error)
}

// DiskOf returns the disk of a store.
func DiskOf(st engine.Store) Disk {
	if d, ok := st.(Disk); ok {
		return d
	}
	return noDisk{}
}

// noDisk is for a store that forgets deleted bytes at once.
type noDisk struct{}

func (noDisk) Compact(context.Context) error       { return nil }
func (noDisk) PurgeLater() error                   { return nil }
func (noDisk) Purge(context.Context) (bool, error) { return true, nil }
