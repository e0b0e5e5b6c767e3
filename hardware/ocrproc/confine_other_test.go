//go:build !linux

package ocrproc

var roles map[string]func()
