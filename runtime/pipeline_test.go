package runtime_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/drawn"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// pipelineOf is what a record tells.
type pipelineOf struct {
	Window, Title, Name, Cursor, Confidence string
	Score                                   int
	Signals                                 []events.Signalled
	Delta                                   []string
	Burst                                   []struct{ Characters int }
	Verdicts                                []struct{ Stage, Outcome, What string }
	DropStage                               string `json:"drop_stage"`
}

func parsePipeline(t *testing.T, raw []byte) (p pipelineOf) {
	t.Helper()
	raw = []byte(strings.Replace(string(raw), `"title"`, `"header"`, 1)) // a line, not a word
	if err := json.Unmarshal(raw, &p); err != nil {
		t.Fatalf("%v: %s", err, raw)
	}
	return p
}

func (p pipelineOf) stages() (list []string) {
	for _, v := range p.Verdicts {
		list = append(list, v.Stage+" "+v.Outcome)
	}
	return list
}

func TestThePipelineRecordTellsEveryStage(t *testing.T) {
	for _, c := range []struct {
		profile string
		stages  []string
		cursor  string
	}{
		{config.ProfileDefault, []string{"fusion passed", "dedup passed", "ingress passed", "burst passed",
			"conversation delivered"}, ""},
		{config.ProfileSeed, []string{"fusion passed", "fusion cursor", "dedup passed", "ingress passed",
			"burst passed", "conversation delivered"}, "1 lines were passed on before, 1 are left"},
	} {
		t.Run(c.profile, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				data := t.TempDir()
				s := testkit.Start(t, testkit.WithConfig(func(cfg *config.Config) {
					cfg.Data, cfg.Debug.Text, cfg.OCR.Burst = data, true, 2
					cfg.SetProfile(c.profile)
				}))
				record := func() pipelineOf {
					t.Helper()
					return parsePipeline(t, debugFiles(t, data)["line@test/latest-pipeline.json"])
				}
				s.Friend("Hana", "おはよう")
				s.WantMessages("おはよう")
				s.Friend("Hana", "元気にしていますか")
				s.WantMessages("おはよう", "元気にしていますか")
				p := record()
				if !slices.Equal(p.Delta, []string{"元気にしていますか"}) || p.Cursor != c.cursor || p.DropStage != "" {
					t.Errorf("delta %q, cursor %q, drop_stage %q, want the second message, %q and none", p.Delta,
						p.Cursor, p.DropStage, c.cursor)
				}
				if want := []events.Signalled{{Signal: "text_changed", Score: 62}}; p.Score != 62 ||
					p.Confidence != "medium" || !slices.Equal(p.Signals, want) {
					t.Errorf("score %d %q of %v, want 62 medium of %v", p.Score, p.Confidence, p.Signals, want)
				}
				if len(p.Burst) != 2 || p.Burst[0].Characters == 0 {
					t.Errorf("burst = %+v, want two captures with characters", p.Burst)
				}
				at := 0
				for _, got := range p.stages() {
					if at < len(c.stages) && got == c.stages[at] {
						at++
					}
				}
				if at < len(c.stages) {
					t.Errorf("verdicts = %q, want %q among them in this order", p.stages(), c.stages)
				}
				for _, v := range p.Verdicts {
					if v.What == "" {
						t.Errorf("the verdict of %s says nothing", v.Stage)
					}
				}

				if err := s.Window.Resize(520, 760); err != nil { // other pixels, the same text
					t.Fatal(err)
				}
				s.Advance(10 * time.Second)
				p = record()
				if p.DropStage != "fusion" || p.Score != 35 || p.Confidence != "low" || len(p.Delta) != 0 {
					t.Errorf("after a change of size: stopped at %q with score %d %q and delta %q, want fusion, 35, "+
						"low, none",
						p.DropStage, p.Score, p.Confidence, p.Delta)
				}
			})
		})
	}
}

func TestThePageTellsWhatBecameOfAFrame(t *testing.T) {
	w := openDesk(t, func(c *config.Config) { c.Read.Only = []string{"line:Kentaro"} })
	if err := w.window.Append("Kentaro", drawn.Friend, "yaa"); err != nil {
		t.Fatal(err)
	}
	w.until(`"delivered_at"`)
	of := "?window=" + url.QueryEscape("line@desk")
	p := parsePipeline(t, []byte(w.get("/pipeline"+of)))
	if p.Window != "line@desk" || p.Name != "Kentaro" || !slices.Equal(p.Delta, []string{"yaa"}) || p.Score != 62 {
		t.Errorf("GET /pipeline = %+v, want what became of yaa", p)
	}
	if png := w.get("/masked" + of); !strings.HasPrefix(png, "\x89PNG") {
		t.Errorf("GET /masked = %.20q, want a PNG", png)
	}

	for _, change := range []func() error{
		func() error { return w.window.Append("Hanako", drawn.Friend, "himitsu") },
		func() error { return w.window.Switch("Hanako") },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
	}
	w.until(`"hidden":true`)
	if got := w.get("/pipeline" + of); got != "null" {
		t.Errorf("GET /pipeline = %s while an unlisted conversation is shown, want null", got)
	}
	if got := w.code("/masked" + of); got != http.StatusNotFound {
		t.Errorf("GET /masked = %d while an unlisted conversation is shown, want %d", got, http.StatusNotFound)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
}
