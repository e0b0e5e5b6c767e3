// Package offline opens the store of a Kehai that does not run, to look and to tidy up. The
// main type is [Store]: package admin's answers over it.
package offline
