//go:build linux || darwin

package store

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// volumeFree returns what an unprivileged user may still write.
func volumeFree(dir string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Bsize), nil
}

func freeBytes(statFS func(string) (uint64, error), dir string) (uint64, error) {
	n, err := statFS(dir)
	if err != nil {
		return 0, fmt.Errorf("store: cannot tell the free space of %s: %w", dir, err)
	}
	return n, nil
}
