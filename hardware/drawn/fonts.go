package drawn

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/font/sfnt"
)

// FontSet holds the fonts of windows: a Japanese one if there is one, and the
// embedded Latin one. It may be shared and used concurrently.
type FontSet struct {
	path  string
	fonts []*opentype.Font // first that has the rune wins
}

// fontPlaces lists files that hold Japanese glyphs, best first.
var fontPlaces = []string{
	"/usr/share/fonts/opentype/ipaexfont-gothic/ipaexg.ttf",
	"/usr/share/fonts/truetype/ipaexfont-gothic/ipaexg.ttf",
	"/usr/share/fonts/ipa-ex-gothic-fonts/ipaexg.ttf",
	"/usr/share/fonts/OTF/ipaexg.ttf",
	"/usr/share/fonts/opentype/ipafont-gothic/ipagp.ttf",
	"/System/Library/Fonts/ヒラギノ角ゴシック W3.ttc",
	"/System/Library/Fonts/Hiragino Sans GB.ttc",
	"/System/Library/Fonts/Supplemental/AppleGothic.ttf",
	"/Library/Fonts/ipaexg.ttf",
	"/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
	"/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
	`C:\Windows\Fonts\YuGothM.ttc`,
	`C:\Windows\Fonts\meiryo.ttc`,
	`C:\Windows\Fonts\msgothic.ttc`,
}

// Fonts looks for a Japanese font in the usual places, once per process.
var Fonts = sync.OnceValue(func() *FontSet { return FindFonts(fontPlaces...) })

// FindFonts takes the first of the files that is a font with Japanese glyphs.
// Without one, there is only the embedded Latin font.
func FindFonts(paths ...string) *FontSet {
	latin, err := opentype.Parse(goregular.TTF)
	if err != nil {
		panic("drawn: the embedded font does not parse: " + err.Error()) // a broken build
	}
	for _, path := range paths {
		if f := openFont(path); f != nil && has(f, 'あ') && has(f, '漢') {
			return &FontSet{path: path, fonts: []*opentype.Font{f, latin}}
		}
	}
	return &FontSet{fonts: []*opentype.Font{latin}}
}

// Path is the file of the Japanese font, "" if none was found.
func (f *FontSet) Path() string { return f.path }

// Japanese reports whether Japanese text can be drawn.
func (f *FontSet) Japanese() bool { return f.path != "" }

// String says what was found, or what follows.
func (f *FontSet) String() string {
	if f.Japanese() {
		return f.path
	}
	return "no Japanese font found, Japanese text is drawn as boxes"
}

func openFont(path string) *opentype.Font {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	if f, err := opentype.Parse(data); err == nil {
		return f
	}
	c, err := opentype.ParseCollection(data)
	if err != nil || c.NumFonts() == 0 {
		return nil
	}
	f, err := c.Font(0)
	if err != nil {
		return nil
	}
	return f
}

func has(f *opentype.Font, r rune) bool {
	var buf sfnt.Buffer
	i, err := f.GlyphIndex(&buf, r)
	return err == nil && i != 0
}

var _ fmt.Stringer = (*FontSet)(nil)
