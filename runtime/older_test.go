package runtime_test

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/config"
)

// unpack writes an archive of a data directory into dir, for its owner alone.
func unpack(t *testing.T, archive, dir string) {
	t.Helper()
	file, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	for list := tar.NewReader(plain); ; {
		head, err := list.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, filepath.FromSlash(head.Name))
		if head.FileInfo().IsDir() {
			err = os.MkdirAll(path, 0o700)
		} else {
			var body []byte
			if body, err = io.ReadAll(list); err == nil {
				err = os.WriteFile(path, body, 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestADirectoryOfAnOlderVersionGoesOn opens what real runs of earlier versions left behind, with
// the journals of their windows. They delivered the first messages of the script and were
// stopped; what they delivered is there under the same ids, and the rest comes, each once.
func TestADirectoryOfAnOlderVersionGoesOn(t *testing.T) {
	for _, c := range []struct {
		archive      string
		conversation messages.ConversationID
		delivered    []messages.MessageID
	}{
		// Commit 7ab48a6: rows in Badger, unsealed, and names for ids.
		{"2026-11-21", "line:Hana", []messages.MessageID{"bfa5f2wguwpvi2hx", "7jvo6wzungum673n"}},
		// Commit 111f160: records beside the rows, both sealed, and the keys beside the store.
		{"2026-11-27", "c-h6mqnhjym32y", []messages.MessageID{"kjo5m6hvuwoaigmj", "ryhb4usaghidjxa4"}},
	} {
		t.Run(c.archive, func(t *testing.T) {
			cfg := config.Default()
			cfg.Data, cfg.Node, cfg.OCR.Engine = t.TempDir(), "mac-a", config.OCRDrawn
			cfg.Windows[0].Script, cfg.Windows[0].Speed = "testdata/older/chat.jsonl", 4
			cfg.Web.Enabled = false
			unpack(t, "testdata/older/"+c.archive+".tar.gz", cfg.Data)

			rt, err := runtime.New(cfg)
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			var ids []messages.MessageID
			var texts []string
			err = rt.Subscribe("test", func(_ context.Context, ev runtime.Event) error {
				m, ok := ev.Message.(messages.MessageDelivered)
				if !ok {
					return nil
				}
				if ids = append(ids, m.ID); m.Conversation != c.conversation {
					t.Errorf("%s is of %s, want the conversation of the older version", m.ID, m.Conversation)
				}
				for _, p := range m.Parts {
					if texts = append(texts, string(p.Text)); p.Text == "またね" {
						stop()
					}
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			if err := rt.Run(ctx); err != nil {
				t.Errorf("Run() = %v", err)
			}
			if want := []string{"Hello!", "こんにちは", "OK", "OK", "またね"}; !slices.Equal(texts, want) {
				t.Errorf("delivered %q, want %q", texts, want)
			}
			if len(ids) < 2 || !slices.Equal(ids[:2], c.delivered) {
				t.Errorf("messages %v, want at first those of the older version, %v", ids, c.delivered)
			}
		})
	}
}
