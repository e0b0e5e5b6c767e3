package keyring

import (
	"bytes"

	"golang.org/x/sys/unix"
)

// excludeItem is the extended attribute by which Time Machine leaves a file or folder out of its
// backups, wherever it is moved: what `tmutil addexclusion` sets.
const excludeItem = "com.apple.metadata:com_apple_backup_excludeItem"

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
