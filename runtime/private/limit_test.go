package private

import (
	"net"
	"testing"
)

func TestLimit(t *testing.T) {
	port, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ln := Limit(port, 1)
	defer ln.Close()
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			accepted <- conn
		}
	}()
	dial := func() net.Conn {
		t.Helper()
		conn, err := net.Dial("tcp", port.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	for range 2 {
		dial()
		served := <-accepted
		if n, err := dial().Read(make([]byte, 1)); err == nil {
			t.Errorf("one connection too many reads %d bytes, want it closed", n)
		}
		served.Close()
		served.Close() // counts once
	}
	ln.Close()
	if conn, more := <-accepted; more {
		t.Errorf("after Close %v was accepted", conn.RemoteAddr())
	}
}
