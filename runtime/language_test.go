package runtime_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kehai-run/kehai/hardware/tesseract"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/testkit"
)

// A friend writes Russian, which the real engine does not know here: no message is made up, what is written
// beside is read, and what is missing is said until all that shows can be read.
func TestALanguageThatIsNotInstalled(t *testing.T) {
	info, err := tesseract.Probe(tesseract.Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"jpn.traineddata", "eng.traineddata"} { // whatever else is installed here
		if err := os.Symlink(filepath.Join(info.Tessdata, name), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("TESSDATA_PREFIX", dir)
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Start(t, testkit.WithConfig(func(cfg *config.Config) { cfg.OCR.Engine = config.OCRTesseract }))
		read := []string{"明日の朝は早く起きます", "See you at the station tomorrow", "駅前の本屋で会いましょう"}
		say := func(text string) {
			s.Friend("Kentaro", text)
			s.Advance(10 * time.Second)
		}
		for i, russian := range []string{"Что будем делать на выходных?", "Мама просила тебя позвонить ей",
			"Не забудь купить молоко и хлеб"} {
			say(read[i])
			say(russian)
		}
		s.Advance(time.Minute)
		unreadable := 0
		var texts []string
		for _, m := range s.Messages() {
			for _, p := range m.Parts {
				if p.Kind == messages.KindUnreadable && p.Text == "" {
					unreadable++
				} else {
					texts = append(texts, strings.ReplaceAll(string(p.Text), " ", ""))
				}
			}
		}
		want := strings.ReplaceAll(strings.Join(read, "|"), " ", "")
		if got := strings.Join(texts, "|"); got != want || unreadable != 3 {
			t.Errorf("messages = %q and %d unreadable, want %q and 3", got, unreadable, want)
		}
		err := s.Runtime.Healthy()
		if err == nil || !strings.Contains(err.Error(), "no installed language") ||
			!strings.Contains(err.Error(), "OCR reads jpn, eng") || !strings.Contains(err.Error(), "tesseract-") {
			t.Errorf("Healthy() = %v, want the language, what is read, and what adds one", err)
		}
		for range 6 {
			say("おはようございます、今日は何時に会いますか？それとも明日にしましょうか、どちらでもいいですよ")
			say("I will be about ten minutes late today, please start without me")
		}
		if err := s.Runtime.Healthy(); err != nil {
			t.Errorf("Healthy() with texts alone in view = %v, want nil", err)
		}
	})
}
