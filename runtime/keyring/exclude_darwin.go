package keyring

import (
	"bytes"

	"golang.org/x/sys/unix"
)

func leaveOut(dir string) {
	if !excluded(dir) {
		_ = unix.Setxattr(dir, excludeItem, excludedBy(), 0)
	}
}

func excluded(dir string) bool {
	value := make([]byte, 256)
	n, err := unix.Getxattr(dir, excludeItem, value)
	return err == nil && bytes.Contains(value[:n], []byte("com.apple.backupd"))
}
