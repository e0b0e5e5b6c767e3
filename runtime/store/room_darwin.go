package store

import (
	"os"

	"golang.org/x/sys/unix"
)

// preallocate asks only for the missing space: the system adds to what the file has.
func preallocate(f *os.File, size int64) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	const block = 512
	if size -= st.Blocks * block; size <= 0 {
		return nil
	}
	return unix.FcntlFstore(f.Fd(), unix.F_PREALLOCATE,
		&unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size})
}

// syncData waits until a file's data are on the disk: the system has no cheaper call than
// F_FULLFSYNC, for which File.Sync asks.
func syncData(f *os.File) error { return f.Sync() }
