//go:build !linux

package x11

import (
	"errors"

	"github.com/jezek/xgb/shm"
)

// segment is not used outside Linux: captures come through the connection.
type segment struct {
	data []byte
	seg  shm.Seg
}

func (g *segment) fit(*session, int) error { return errors.ErrUnsupported }

func (g *segment) free() {}
