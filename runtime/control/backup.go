package control

import (
	"context"
	"fmt"
	"io"
	"net/http"
)

// BackupBackend writes backups. Every [Backend] of this module is one.
type BackupBackend interface {
	// Backup writes everything stored, sealed as it is and without any key, as one
	// consistent view. A running Kehai continues meanwhile.
	Backup(ctx context.Context, w io.Writer) error
}

func backupRoutes(mux *http.ServeMux, b Backend) {
	backup, ok := b.(BackupBackend)
	if !ok {
		return
	}
	mux.HandleFunc("GET /v1/backup", func(w http.ResponseWriter, r *http.Request) {
		counted := &counting{Writer: w}
		switch err := backup.Backup(r.Context(), counted); {
		case err != nil && counted.n == 0:
			fail(w, http.StatusInternalServerError, err)
		case err != nil:
			panic(http.ErrAbortHandler) // the client must see that it is cut
		}
	})
}

type counting struct {
	io.Writer
	n int
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.n += n
	return n, err
}

// Backup implements [BackupBackend].
func (c *Client) Backup(ctx context.Context, w io.Writer) error {
	body, err := c.do(ctx, http.MethodGet, "/v1/backup", nil)
	if err != nil {
		return err
	}
	defer body.Close()
	if _, err := io.Copy(w, body); err != nil {
		return fmt.Errorf("control: backup: %w", err)
	}
	return nil
}
