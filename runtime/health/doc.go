// Package health tells from events what is wrong with a Kehai that runs. The main type is
// [Monitor]. It keeps nothing: what still is wrong after a restart is told again.
package health
