package bare_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/bare"
)

// A store that is gone looks like that of a first start, but for the keys that are left of it: people
// are told, until the next start. A first start, and one after a deletion, tell of nothing.
func TestALostStoreIsTold(t *testing.T) {
	var log bytes.Buffer
	o := till(filepath.Join(t.TempDir(), "data"), &log)
	o.Messages = []messages.Table{{
		messages.AboutWhom(messages.Durable[coin](nil), func(coin) messages.ConversationID { return "mine" }),
		messages.Durable[counted](nil).AboutNobody(),
	}}
	for n, lost := range []bool{false, false, true, false} {
		if lost {
			if err := os.RemoveAll(filepath.Join(o.Data, "store")); err != nil {
				t.Fatal(err)
			}
		}
		log.Reset()
		during(t, o, nil, func(rt *bare.Runtime) {
			err := rt.Healthy()
			told := err != nil && strings.Contains(err.Error(), "keys of one before it are there (1)")
			if told != lost {
				t.Errorf("start %d: Healthy() = %v, want that the store was lost: %v", n, err, lost)
			}
			inject(t, rt, 1)
		})
		if told := strings.Contains(log.String(), "store_is_new"); told != lost {
			t.Errorf("start %d: the log has %s", n, &log)
		}
	}
}
