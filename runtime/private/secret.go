package private

import (
	"crypto/sha256"
	"crypto/subtle"
)

// SameSecret compares a given token with the right one. Its duration reveals nothing
// about either, not even their lengths.
func SameSecret(given, right string) bool {
	x, y := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(right))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
