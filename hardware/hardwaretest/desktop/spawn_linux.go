package desktop

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

// spawner starts processes on a thread that lives as long as this process. The
// kernel ends them together with that thread, so a killed test leaves nothing
// behind.
var spawner = sync.OnceValue(func() chan func() {
	work := make(chan func())
	go func() {
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// start starts a command as the first of a process group.
func start(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	result := make(chan error)
	spawner() <- func() { result <- cmd.Start() }
	return <-result
}
