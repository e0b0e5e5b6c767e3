package ocr

import (
	"os"
	"sync"

	"github.com/kehai-run/kehai/actors/ocr/emojifont"
)

// emojiFonts are the places of fonts with the looks of emoji that applications draw.
var emojiFonts = []string{
	"/usr/share/fonts/truetype/noto/NotoColorEmoji.ttf",
	"/usr/share/fonts/noto/NotoColorEmoji.ttf",
	"/usr/share/fonts/google-noto-color-emoji-fonts/NotoColorEmoji.ttf",
	"/usr/share/fonts/google-noto-emoji/NotoColorEmoji.ttf",
}

// installedEmoji are the emoji of the first of these fonts that is installed, nil if none is.
var installedEmoji = sync.OnceValue(func() *emojifont.Set {
	for _, path := range emojiFonts {
		ttf, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		if set, err := emojifont.Parse(ttf); err == nil {
			return set
		}
	}
	return nil
})
