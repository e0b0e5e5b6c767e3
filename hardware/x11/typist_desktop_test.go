//go:build desktop && linux

package x11

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"testing"

	"github.com/kehai-run/kehai/hardware"
	"github.com/kehai-run/kehai/hardware/hardwaretest"
	"github.com/kehai-run/kehai/hardware/hardwaretest/desktop"
)

// field has one text field, whose text its title shows once it has the keyboard.
const field = `<!doctype html><meta charset="utf-8"><title>not clicked</title>
<body style="margin:0"><textarea id="f" style="position:absolute;left:0;top:200px;width:100%;height:200px"></textarea>
<script>
const f = document.getElementById("f");
const show = () => document.title = "[" + f.value.replaceAll("\n", "⏎") + "]";
f.addEventListener("focus", show);
f.addEventListener("input", show);
</script>`

func TestDesktopTypist(t *testing.T) {
	desk := desktop.Start(t)
	desk.StartWindowManager(t)
	d, err := Open(Options{Display: desk.Display})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	desk.StartBrowser(t, field)
	var w hardware.Window
	await := func(t *testing.T, texts ...string) (shown string) {
		t.Helper()
		defer func() {
			if t.Failed() {
				t.Logf("the field holds %q", shown)
			}
		}()
		desktop.Eventually(t, fmt.Sprintf("the field holds one of %q", texts), func() bool {
			w, err = d.Find(t.Context(), "chromium")
			shown = strings.TrimSuffix(strings.TrimPrefix(w.Title, "["), "]")
			shown = strings.ReplaceAll(shown, "⏎", "\n")
			return err == nil && strings.HasPrefix(w.Title, "[") && slices.Contains(texts, shown)
		})
		return shown
	}
	typist := NewTypist(d, nil)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the window is %+v (%v)", w, err)
		}
	})
	desktop.ClickUntil(t, "a click gives the field the keyboard", func() {
		if err := typist.Click(t.Context(), w.Ref, image.Pt(200, 300)); err != nil {
			t.Logf("click: %v", err)
		}
	}, func() bool {
		w, err = d.Find(t.Context(), "chromium")
		return err == nil && strings.HasPrefix(w.Title, "[")
	})
	empty := func() {
		for _, key := range []hardware.Key{hardware.KeySelectAll, hardware.KeyBackspace} {
			if err := typist.Press(t.Context(), w.Ref, key); err != nil {
				t.Fatalf("Press(%s) = %v", key, err)
			}
		}
		await(t, "")
	}
	hardwaretest.Typist(t, func(t *testing.T) hardwaretest.TypistFixture {
		empty()
		return hardwaretest.TypistFixture{
			Typist: typist, Ref: w.Ref, Gone: "0x77777777", Shows: await, Clear: empty,
			Cover: func() {
				front := desktop.Connect(t, desk.Display).Open("front", "Front", image.Rect(0, 0, 1200, 850))
				t.Cleanup(front.Close)
			},
		}
	})
}
