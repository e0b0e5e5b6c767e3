// Package offline opens the store of a Kehai that is not running, to look and to tidy up.
// The main type is [Store], which gives package admin's answers.
package offline
