//go:build cgo && (darwin || windows)

package robot

func ready() error { return nil }

func healthy() error { return nil }
