package x11

import (
	"github.com/jezek/xgb/shm"
	"golang.org/x/sys/unix"
)

// segment is System V shared memory into which the server writes captures. The
// zero value is empty.
type segment struct {
	data []byte
	seg  shm.Seg
}

// fit makes the segment at least size bytes large. An error means that this
// server cannot share memory with this process: it is remote, or in a container.
func (g *segment) fit(s *session, size int) error {
	if len(g.data) >= size {
		return nil
	}
	if g.data != nil {
		shm.Detach(s.x, g.seg)
		g.free()
	}
	size = (size + 1<<20 - 1) &^ (1<<20 - 1)
	id, err := unix.SysvShmGet(unix.IPC_PRIVATE, size, unix.IPC_CREAT|0o600)
	if err != nil {
		return err
	}
	// Marked for removal once both sides have it, so a killed process leaks nothing.
	defer func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) }()
	data, err := unix.SysvShmAttach(id, 0, 0)
	if err != nil {
		return err
	}
	seg, err := shm.NewSegId(s.x)
	if err == nil {
		err = shm.AttachChecked(s.x, seg, uint32(id), false).Check()
	}
	if err != nil {
		_ = unix.SysvShmDetach(data)
		return err
	}
	g.data, g.seg = data, seg
	return nil
}

// free releases this process's side. The server releases its own when the
// connection ends.
func (g *segment) free() {
	if g.data != nil {
		_ = unix.SysvShmDetach(g.data)
		g.data = nil
	}
}
