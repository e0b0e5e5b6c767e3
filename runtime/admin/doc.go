// Package admin answers what people ask of a Kehai and does what they tell it to, over its
// store: messages, drafts, memory, pauses, forgetting, dead letters, retention, and what
// the live page shows. The main type is [Backend], which implements [control.Backend]; over
// the store of a Kehai that does not run, package offline opens one.
//
// What actors keep is read by the tables that they export, and changed by messages to
// them. It keeps nothing of its own, see packages names and pause, but the setting "imported":
// nothing is left that an older version imported under names.
package admin
