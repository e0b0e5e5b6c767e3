//go:build !linux

package ocrproc

import "os/exec"

// confine starts a process. It ends with its input, and so with this one; see [Serve].
func confine(cmd *exec.Cmd, _ <-chan struct{}) error { return cmd.Start() }
