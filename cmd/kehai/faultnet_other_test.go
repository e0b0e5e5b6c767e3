//go:build crash && !linux

package main

import (
	"errors"
	"testing"
)

func newSpaces(*testing.T, *links, int) (faultNet, error) {
	return nil, errors.New("this system has no network namespaces")
}
