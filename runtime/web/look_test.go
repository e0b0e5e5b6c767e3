//go:build look

package web

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
)

// TestLook serves the page with drawn windows until it is interrupted, to be
// looked at while its looks are worked on:
//
//	go test -tags look -run TestLook -v -timeout 0 ./runtime/web
//
// KEHAI_LOOK=trouble shows what goes wrong, quiet keeps everything still.
func TestLook(t *testing.T) {
	sc := newScene(t)
	now := time.Now()
	sc.attend(now, week(now))
	o := sc.options()
	o.Addr, o.Token = "127.0.0.1:7412", "look-look-look-look"
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	sc.show(t, s, true)
	if os.Getenv("KEHAI_LOOK") == "trouble" {
		sc.trouble(s)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	fmt.Println(s.URL())
	if os.Getenv("KEHAI_LOOK") == "" {
		go sc.live(ctx, t, s)
	}
	if err := s.Serve(ctx); err != nil {
		t.Fatal(err)
	}
}

// live lets a friend write every few seconds.
func (sc *scene) live(ctx context.Context, t *testing.T, s *Server) {
	tick := time.NewTicker(4 * time.Second)
	defer tick.Stop()
	for i := 1; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			text := fmt.Sprintf("%d つ目のメッセージです", i)
			sc.hana.say(t, drawn.Friend, text)
			s.Listen(sc.hana.seen(t))
			sc.deliver(s, uint64(1000+i), text)
		}
	}
}
