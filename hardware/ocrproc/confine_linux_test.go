package ocrproc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/kehai-run/kehai/hardware"
)

// roles are what the test binary does otherwise than reading.
var roles = map[string]func(){
	// deaf tells who it is, and hears nothing, not even the end of its input.
	"deaf": func() {
		fmt.Fprintln(os.NewFile(3, "told"), os.Getpid())
		select {}
	},
	// parent starts one that is deaf.
	"parent": func() {
		r := New(func() *exec.Cmd {
			cmd := child("deaf")()
			cmd.ExtraFiles = []*os.File{os.NewFile(3, "told")}
			return cmd
		})
		_, _ = r.Recognize(context.Background(), wide(1), hardware.Hint{}) // does not return
	},
}

func TestMayDoLittle(t *testing.T) {
	r := open(t)
	lines, err := r.Recognize(context.Background(), wide(wideTells), hardware.Hint{})
	if err != nil || len(lines) != 1 {
		t.Fatalf("Recognize() = %d lines, %v, want what the kernel says of the process", len(lines), err)
	}
	if got := string(lines[0].Text); !regexp.MustCompile(`(?m)^NoNewPrivs:\s+1$`).MatchString(got) {
		t.Errorf("the process may gain privileges:\n%s", got)
	}
	var core unix.Rlimit
	if err := unix.Prlimit(r.process.cmd.Process.Pid, unix.RLIMIT_CORE, nil, &core); err != nil || core.Max != 0 {
		t.Errorf("its core file may have %d bytes, %v, want none", core.Max, err)
	}
	if _, err := r.Recognize(context.Background(), wide(wideEats), hardware.Hint{}); err == nil ||
		!strings.Contains(err.Error(), "the process died") {
		t.Errorf("Recognize() in 3 GB = %v, want that the process died", err)
	}
	reads(t, r)
	if own, err := unix.PrctlRetInt(unix.PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0); err != nil || own != 0 {
		t.Errorf("this process: no new privileges = %d, %v, want it as it was", own, err)
	}
}

// TestDiesWithItsParent kills a process whose child is deaf to the end of its input.
func TestDiesWithItsParent(t *testing.T) {
	told, tell, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer told.Close()
	parent := child("parent")()
	parent.ExtraFiles = []*os.File{tell}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	tell.Close()
	var deaf int
	if _, err := fmt.Fscan(told, &deaf); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(deaf, syscall.SIGKILL) }) // it is gone unless the test failed
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait() // it was killed
	for {             // until the pipe has no writer any more
		if _, err := told.Read(make([]byte, 9)); err != nil {
			return
		}
	}
}
