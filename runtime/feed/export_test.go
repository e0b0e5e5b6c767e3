package feed

import "time"

// SetNow sets the clock, before Serve.
func (s *Server) SetNow(now func() time.Time) { s.now = now }
