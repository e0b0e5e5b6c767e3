package tesseract

import (
	"os"
	"testing"

	"github.com/ebitengine/purego"
)

// TestOneThread asks the OpenMP runtime that the library brought along.
func TestOneThread(t *testing.T) {
	open(t)
	gomp, err := purego.Dlopen("libgomp.so.1", purego.RTLD_NOW)
	if err != nil {
		t.Fatal(err)
	}
	var limit func() int32
	purego.RegisterLibFunc(&limit, gomp, "omp_get_thread_limit")
	if got := limit(); got != 1 && os.Getenv("OMP_THREAD_LIMIT") == "" {
		t.Errorf("omp_get_thread_limit() = %d, want 1", got)
	}
}
