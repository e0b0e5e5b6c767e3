// Package health finds out from events what is wrong with a running Kehai. The main type
// is [Monitor]. It stores nothing: what is still wrong after a restart is reported again.
package health
