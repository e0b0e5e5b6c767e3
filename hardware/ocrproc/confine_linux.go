package ocrproc

import (
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// maxMemory is the limit of a process's writable memory in bytes: several times what the largest
// picture needs.
const maxMemory = 2 << 30

// confine starts a process that can gain no privileges, dies with this one, and can neither
// fill the memory nor leave a picture in a core file. gone is closed when it has been waited for.
//
// Privileges are taken from a thread, and a process dies with the thread that started it: so it
// gets a thread of its own.
func confine(cmd *exec.Cmd, gone <-chan struct{}) error {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked, which ends the thread
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err == nil {
			<-gone
		}
	}()
	if err := <-started; err != nil {
		return err
	}
	return errors.Join(limit(cmd, unix.RLIMIT_DATA, maxMemory), limit(cmd, unix.RLIMIT_CORE, 0))
}

func limit(cmd *exec.Cmd, what int, to uint64) error {
	err := unix.Prlimit(cmd.Process.Pid, what, &unix.Rlimit{Cur: to, Max: to}, nil)
	if err != nil && !errors.Is(err, unix.ESRCH) { // it has died, which is told otherwise
		return fmt.Errorf("limit its memory: %w", err)
	}
	return nil
}
