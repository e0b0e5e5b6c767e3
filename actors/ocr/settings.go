package ocr

import "time"

// Isolation is where an OCR engine runs.
type Isolation string

// Values of [Isolation].
const (
	IsolationAuto      Isolation = "auto"
	IsolationInProcess Isolation = "inprocess"
	IsolationProcess   Isolation = "process"
)

// Settings are the section ocr of a configuration: how text is read from captures.
type Settings struct {
	// Who reads: tesseract, vision (comes with macOS 13 and newer), drawn (knows the
	// text of drawn windows, needs nothing installed), or an engine that the host
	// adds. Default tesseract; on a Mac vision.
	Engine string `yaml:"engine" form:"name" driver:"ocr"`

	// Where the engine runs: process (one of its own, as fast, whose crash is not one
	// of Kehai), inprocess (in Kehai's, until two of its calls have hung), or auto
	// (process where that can be: not with the engine drawn, nor in a host that does
	// not call runtime.OCRProcess). Default auto.
	Isolation Isolation `yaml:"isolation" oneof:"auto|inprocess|process"`

	// Captures of one change, 120 ms apart, that are read and compared, 1 to 9:
	// what most of them say counts; in profile seed the longest. Default 1.
	Burst int `yaml:"burst" min:"1" max:"9"`

	// Captures that are read at the same time, 1 to 16. Default 2.
	Workers int `yaml:"workers" min:"1" max:"16"`

	// Time after which reading one capture is given up, 100ms to 5m. Default 20s.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`

	// How often a capture that could not be read is tried again, 0 to 5; 0 is
	// never. Default 1.
	Retries int `yaml:"retries" min:"0" max:"5"`

	// Bubbles whose text is remembered so that they are not read twice, 1 to
	// 100000. Default 512.
	Cache int `yaml:"cache" min:"1" max:"100000"`
}

// DefaultSettings reads with Tesseract.
func DefaultSettings() Settings {
	return Settings{Engine: "tesseract", Isolation: IsolationAuto, Burst: 1, Workers: 2, Timeout: 20 * time.Second,
		Retries: 1, Cache: 512}
}
