package datadir

import (
	"path/filepath"
	"testing"

	"github.com/kehai-run/kehai/runtime/config"
	"github.com/kehai-run/kehai/runtime/private"
)

// A data directory that is named from here is told once, although its sockets are named from the root.
func TestPlacesAreToldOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	cfg := config.Default()
	cfg.Data = "data"
	if err := private.Make(filepath.Join(cfg.Data, "store"), private.Closed); err != nil {
		t.Fatal(err)
	}
	places, err := Places(cfg)
	if err != nil || len(places) != 2 {
		t.Errorf("Places() = %+v, %v, want the directory and its store", places, err)
	}
}
