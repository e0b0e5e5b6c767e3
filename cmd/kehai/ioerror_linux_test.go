package main

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

func init() {
	words := []string{"cannot be written", "input/output error"}
	failures["input and output fail"] = failure{write: ioErrors, want: words}
	failures["input and output fail under traffic"] = failure{write: ioErrors, crowd: true, want: words}
}

// ioErrors lets the kernel answer EIO, as it does of a disk that is dying, to what sizes, writes at a
// place or syncs a file, in all threads and for good.
func ioErrors(string) error {
	const toNumber = 0 // of seccomp_data: where the number of the system call is
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: toNumber}}
	calls := []uint32{unix.SYS_PWRITE64, unix.SYS_FTRUNCATE, unix.SYS_MSYNC, unix.SYS_FSYNC, unix.SYS_FDATASYNC}
	for i, call := range calls {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call,
			Jt: uint8(len(calls) - i)}) // over the other calls and what allows
	}
	filter = append(filter,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EIO)})
	runtime.LockOSThread() // the permission to filter is the thread's
	defer runtime.UnlockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if thread, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC,
		uintptr(unsafe.Pointer(&program))); err != 0 {
		return fmt.Errorf("seccomp: %w", err)
	} else if thread != 0 {
		return fmt.Errorf("seccomp: thread %d has a filter of its own", thread)
	}
	return nil
}
