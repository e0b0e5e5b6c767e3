//go:build crash

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"
	"time"
)

// faultNet is what stands between the machines of a cluster. They are real as far as the kernel
// can make them so: network namespaces, whose packets pass through this process. Without the
// rights for that they are processes on loopback, whose connections do.
type faultNet interface {
	address(machine int) string // where it listens: IP:PORT
	place(machine int, cmd *exec.Cmd)
	String() string
}

// link is how things fare from one machine to another.
type link struct {
	cut   bool
	delay time.Duration
	loss  float64 // how often, of 1
}

// links are those of all machines.
type links struct {
	mu sync.Mutex
	at map[[2]int]link
}

func (l *links) set(from, to int, how link) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at[[2]int{from, to}] = how
}

func (l *links) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.at)
}

func (l *links) fare(from, to int) link {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at[[2]int{from, to}]
}

// proxied are machines on loopback.
type proxied struct {
	links    *links
	addr     string // of the proxy
	machines []string
}

func newProxied(t *testing.T, l *links, machines int) *proxied {
	t.Helper()
	listen := func() net.Listener {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return ln
	}
	ln := listen()
	t.Cleanup(func() { ln.Close() })
	p := &proxied{links: l, addr: ln.Addr().String()}
	for i := range machines {
		// On Linux, which has many loopback addresses, each test has its own. Elsewhere it
		// takes a port, which another process may take before the machine listens.
		free, err := net.Listen("tcp", fmt.Sprintf("127.%d.%d.%d:7412", 200+i, os.Getpid()>>8&255, os.Getpid()&255))
		if err != nil {
			free = listen()
		}
		p.machines = append(p.machines, free.Addr().String())
		free.Close()
	}
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p *proxied) String() string             { return "processes on loopback, with a proxy between them" }
func (p *proxied) address(machine int) string { return p.machines[machine] }

func (p *proxied) place(machine int, cmd *exec.Cmd) {
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%s %d", proxyEnv, p.addr, machine))
}

// serve connects a machine with another one: the first line says which with which.
func (p *proxied) serve(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	line, err := in.ReadString('\n')
	var from int
	var address string
	if _, serr := fmt.Sscanf(line, "%d %s", &from, &address); err != nil || serr != nil {
		return
	}
	to := slices.Index(p.machines, address)
	there, err := net.Dial("tcp", address)
	if err != nil || to < 0 {
		return
	}
	defer there.Close()
	go p.pump(c, there, to, from)
	p.pump(there, in, from, to)
}

// pump carries what a connection brings, as the link between two machines lets it. Lost data
// comes later, as with TCP.
func (p *proxied) pump(to net.Conn, in interface{ Read([]byte) (int, error) }, from, dest int) {
	defer to.Close()
	for buf := make([]byte, 16<<10); ; {
		n, err := in.Read(buf)
		how := p.links.fare(from, dest)
		for ; how.cut; how = p.links.fare(from, dest) {
			<-time.After(20 * time.Millisecond)
		}
		if wait := how.delay; wait > 0 {
			if rand.Float64() < how.loss {
				wait += 200 * time.Millisecond
			}
			<-time.After(wait)
		}
		if _, werr := to.Write(buf[:n]); err != nil || werr != nil {
			return
		}
	}
}
