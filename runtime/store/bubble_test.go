package store_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store"
)

// TestBubble runs a store on virtual time, as tests of a whole runtime do.
func TestBubble(t *testing.T) {
	dir := t.TempDir()
	for life := range 2 {
		synctest.Test(t, func(t *testing.T) {
			s := open(t, store.Options{Dir: dir})
			if _, ok, err := s.Get([]byte("a")); ok != (life > 0) || err != nil {
				t.Errorf("life %d: Get(a) = %v, %v, want %v", life, ok, err, life > 0)
			}
			if err := s.Apply([]engine.Op{{Key: []byte("a"), Value: []byte("1")}}, true); err != nil {
				t.Errorf("Apply = %v, want no error", err)
			}
			hour, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			<-hour.Done() // Badger's own tickers run meanwhile
			if err := s.Compact(t.Context()); err != nil {
				t.Errorf("Compact = %v, want no error", err)
			}
			if err := s.Close(); err != nil {
				t.Errorf("Close() = %v, want no error", err)
			}
		})
	}
}

// TestCloseWaitsForScan closes a store while another goroutine is in a scan.
func TestCloseWaitsForScan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := open(t, store.Options{Dir: t.TempDir()})
		if err := s.Apply(small(0, 10), false); err != nil {
			t.Fatal(err)
		}
		inScan, goOn, closed := make(chan bool), make(chan bool), make(chan error, 1)
		seen := 0
		go func() {
			<-inScan
			closed <- s.Close()
		}()
		err := s.Scan(nil, nil, func(_, _ []byte) bool {
			if seen++; seen == 1 {
				close(inScan)
				synctest.Wait() // until Close waits
				select {
				case err := <-closed:
					t.Errorf("Close() = %v during a scan, want it to wait", err)
				default:
				}
				if _, _, err := s.Get([]byte("a")); err == nil {
					t.Error("Get after Close began = no error, want ErrClosed")
				}
				close(goOn)
			}
			return true
		})
		<-goOn
		if err != nil || seen != 10 {
			t.Errorf("Scan = %d keys, %v, want 10", seen, err)
		}
		if err := <-closed; err != nil {
			t.Errorf("Close() = %v, want no error", err)
		}
	})
}
