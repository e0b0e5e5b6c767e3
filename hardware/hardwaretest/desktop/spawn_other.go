//go:build unix && !linux

package desktop

import (
	"os/exec"
	"syscall"
)

// start starts a command as the first of a process group.
func start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd.Start()
}
