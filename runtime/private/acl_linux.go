package private

import "golang.org/x/sys/unix"

// hasACL reports whether a file has an access control list beside its mode. The bits of its group are then the mask, so
// they bound what users and groups of the list may do, and chmod g-w takes the right to write from all of them.
func hasACL(path string) bool {
	size, err := unix.Getxattr(path, "system.posix_acl_access", nil)
	return err == nil && size > 0
}
