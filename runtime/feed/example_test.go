package feed_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/feed"
)

// A face tracker connects to the socket in Kehai's data directory and writes a
// line for each picture. Here the server is in the same program, as in a test;
// kehai run serves the same socket when focus.enabled is set.
func Example() {
	dir, err := os.MkdirTemp("", "feed")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	socket := filepath.Join(dir, "focus.sock")
	taken := make(chan messages.Message, 1)
	server, err := feed.New(feed.Options{Socket: socket, Sink: func(m messages.Message) error {
		taken <- m
		return nil
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	done := make(chan error)
	go func() { done <- server.Serve(ctx) }()

	// The tracker's side.
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Println(err)
		return
	}
	answers := bufio.NewScanner(conn)
	fmt.Fprintln(conn, `{"at_ms":0}`)
	answers.Scan()
	fmt.Println(answers.Text())
	fmt.Fprintln(conn, `{"camera":{"face_detected":true,"ear_average":0.31},"ack":true}`)
	answers.Scan()
	fmt.Println(answers.Text())

	snapshot := (<-taken).(messages.CameraSnapshot)
	fmt.Println(snapshot.FaceDetected.Value, snapshot.EARAverage.Value)
	conn.Close()
	stop()
	fmt.Println(<-done)
	// Output:
	// {"ok":false,"line":1,"code":"json","error":"feed: want {\"at_ms\":…,\"points\":[…]} or {\"camera\":{…}}"}
	// {"ok":true,"line":2}
	// true 0.31
	// <nil>
}
