package tesseract

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/kehai-run/kehai/hardware"
)

// mend is the command that installs the library and the languages.
func mend() string {
	if runtime.GOOS == "darwin" {
		return "run `brew install tesseract tesseract-lang`"
	}
	return "run `sudo apt-get install tesseract-ocr tesseract-ocr-jpn` (other systems: their packages of " +
		"Tesseract 5 and its Japanese data)"
}

const suffix = ".traineddata"

// tessdata finds the directory of the language data: the given one, else
// TESSDATA_PREFIX, else a usual place, preferably one with Japanese.
func tessdata(dir string) (string, error) {
	if dir != "" {
		return dir, nil
	}
	candidates := []string{
		"/usr/share/tesseract-ocr/5/tessdata", "/usr/share/tesseract-ocr/4.00/tessdata",
		"/usr/share/tessdata", "/usr/share/tesseract/tessdata", "/usr/local/share/tessdata",
		"/opt/homebrew/share/tessdata", "/opt/local/share/tessdata",
	}
	if prefix := os.Getenv("TESSDATA_PREFIX"); prefix != "" {
		candidates = slices.Concat([]string{prefix, filepath.Join(prefix, "tessdata")}, candidates)
	}
	found := ""
	for _, c := range candidates {
		langs, err := listLanguages(c)
		if err != nil || len(langs) == 0 {
			continue
		}
		if slices.Contains(langs, "jpn") {
			return c, nil
		}
		if found == "" {
			found = c
		}
	}
	if found == "" {
		return "",
			fmt.Errorf("%w: tesseract: no language data found; %s, or set TESSDATA_PREFIX to the directory of jpn%s",
				hardware.ErrNoLanguage, mend(), suffix)
	}
	return found, nil
}

func listLanguages(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("%w: tesseract: %w; %s", hardware.ErrNoLanguage, err, mend())
	}
	var out []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok && !e.IsDir() {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}

// mostFurther is how many languages besides Japanese and English are read for: an engine of many is slow, and
// takes one for the other.
const mostFurther = 4

// further are the installed languages besides Japanese and English as the library wants them named, "" for
// none, or for too many to tell which are meant.
func further(installed []string) string {
	list := besides(installed)
	if len(list) > mostFurther {
		return ""
	}
	return strings.Join(list, "+")
}

func besides(installed []string) []string {
	return slices.DeleteFunc(slices.Clone(installed), func(l string) bool {
		return slices.Contains([]string{"jpn", "eng", "osd", "snum", "equ"}, l) || strings.HasSuffix(l, "_vert")
	})
}

// Languages says which languages are read, and what adds another.
func Languages(o Options) string {
	info, err := Probe(o)
	if err != nil {
		return err.Error()
	}
	return reads(info.Languages)
}

func reads(installed []string) string {
	list, more := "jpn, eng", further(installed)
	if more != "" {
		list += ", " + strings.ReplaceAll(more, "+", ", ")
	}
	if len(besides(installed)) > mostFurther {
		return fmt.Sprintf("OCR reads %s: of what is installed besides, at most %d languages are read; set "+
			"TESSDATA_PREFIX to a folder with those that you need, and start again", list, mostFurther)
	}
	how := "`sudo apt-get install tesseract-ocr-LANG`"
	if runtime.GOOS == "darwin" {
		how = "`brew install tesseract-lang`, with TESSDATA_PREFIX set to a folder of the few that you need,"
	}
	return fmt.Sprintf("OCR reads %s; %s adds another (rus, kor, chi_sim, …) for the next start", list, how)
}

// haveLanguages checks a "jpn+eng" list against a directory.
func haveLanguages(dir, langs string) error {
	for lang := range strings.SplitSeq(langs, "+") {
		if _, err := os.Stat(filepath.Join(dir, lang+suffix)); err != nil {
			return fmt.Errorf("%w: tesseract: %s%s is not in %s; %s", hardware.ErrNoLanguage, lang, suffix, dir, mend())
		}
	}
	return nil
}
