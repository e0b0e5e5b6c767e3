package maintenance

import (
	"context"

	"github.com/rs/zerolog"

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

// Sealing takes note of rows that an older version stored unsealed, for [engine.Options]. Their unsealed
// form leaves the store's files with the next purge.
func Sealing(d Disk, log zerolog.Logger, rows int) {
	if rows == 0 {
		if err := d.PurgeLater(); err != nil {
			log.Warn().Err(err).Msg("purge_not_noted")
		}
	}
	log.Info().Int("rows", rows).Msg("store_sealing")
}
