//go:build !linux

package private

// hasACL is not known here: on a Mac, access control lists do not show in modes.
func hasACL(string) bool { return false }
