package datadir

import (
	"path/filepath"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// Hands remember what was in progress when the process died.
type Hands interface {
	engine.Hands
	Close() error
}

// OpenHands opens the file next to the store that holds them.
func OpenHands(cfg config.Config) (Hands, error) {
	return store.OpenHands(filepath.Join(cfg.Data, "inhand"))
}

// NoHands remember nothing.
type NoHands struct{}

// Suspects implements [engine.Hands].
func (NoHands) Suspects() map[uint64]int { return nil }

// Take implements [engine.Hands].
func (NoHands) Take(uint64) int { return 0 }

// Drop implements [engine.Hands].
func (NoHands) Drop(int) {}

// Survived implements [engine.Hands].
func (NoHands) Survived(uint64) {}

// Close implements [Hands].
func (NoHands) Close() error { return nil }
