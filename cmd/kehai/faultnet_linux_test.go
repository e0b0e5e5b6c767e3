//go:build crash

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// spaces are machines in network namespaces. Each has one interface, a tunnel whose other end is
// here: a packet that comes out of one goes into another, sooner or later, or never.
type spaces struct {
	links *links
	list  []space
}

type space struct {
	holder *exec.Cmd // keeps the namespace until its input ends
	tunnel *os.File
}

// newSpaces fails where this process may not make namespaces and tunnels.
func newSpaces(t *testing.T, l *links, machines int) (_ faultNet, err error) {
	t.Helper()
	s := &spaces{links: l}
	for i := range machines {
		if err = s.add(t, i); err != nil {
			return nil, fmt.Errorf("network namespaces: %w", err)
		}
	}
	for i := range s.list {
		go s.carry(i)
	}
	return s, nil
}

func (s *spaces) String() string             { return "network namespaces" }
func (s *spaces) address(machine int) string { return fmt.Sprintf("10.213.0.%d:7412", machine+1) }

func (s *spaces) add(t *testing.T, i int) error {
	holder := exec.Command("unshare", "--net", "sh", "-c", "echo && exec cat")
	stdin, err := holder.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := holder.StdoutPipe()
	if err == nil {
		err = holder.Start()
	}
	if err != nil {
		return err
	}
	t.Cleanup(func() { stdin.Close(); _ = holder.Wait() })
	if _, err := io.ReadFull(stdout, make([]byte, 1)); err != nil {
		return errors.New("unshare is refused")
	}
	name := fmt.Sprintf("kehai%d.%d", os.Getpid()%1_000_000, i)
	tunnel, err := newTunnel(name)
	if err != nil {
		return err
	}
	t.Cleanup(func() { tunnel.Close() })
	s.list = append(s.list, space{holder, tunnel})
	pid := strconv.Itoa(holder.Process.Pid)
	for _, args := range [][]string{
		{"ip", "link", "set", name, "netns", pid},
		{"nsenter", "-n", "-t", pid, "ip", "link", "set", "lo", "up"},
		{"nsenter", "-n", "-t", pid, "ip", "addr", "add", fmt.Sprintf("10.213.0.%d/24", i+1), "dev", name},
		{"nsenter", "-n", "-t", pid, "ip", "link", "set", name, "up"},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%q: %w: %s", args, err, bytes.TrimSpace(out))
		}
	}
	return nil
}

// newTunnel makes an interface whose packets are read and written here.
func newTunnel(name string) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	req, err := unix.NewIfreq(name)
	if err == nil {
		req.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, req)
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (s *spaces) place(machine int, cmd *exec.Cmd) {
	enter := []string{"nsenter", "-n", "-t", strconv.Itoa(s.list[machine].holder.Process.Pid), "--", cmd.Path}
	cmd.Args = append(enter, cmd.Args[1:]...)
	cmd.Path, cmd.Err = exec.LookPath("nsenter")
}

// carry brings each packet of a machine to the one to which it goes.
func (s *spaces) carry(from int) {
	for buf := make([]byte, 64<<10); ; {
		n, err := s.list[from].tunnel.Read(buf)
		if err != nil {
			return // the test is over
		}
		if n < 20 || buf[0]>>4 != 4 { // such as the kernel's questions by IPv6
			continue
		}
		to := int(buf[19]) - 1
		if to < 0 || to >= len(s.list) {
			continue
		}
		how := s.links.fare(from, to)
		if how.cut || rand.Float64() < how.loss {
			continue
		}
		packet := bytes.Clone(buf[:n])
		arrive := func() { _, _ = s.list[to].tunnel.Write(packet) } // one that is not taken is lost
		if how.delay > 0 {
			time.AfterFunc(how.delay, arrive)
		} else {
			arrive()
		}
	}
}
