// Package events holds what Kehai reports to its listeners: the log, metrics, the
// page, the command line, a host. No actor receives any of it.
//
//	verdict.go  what each stage lets pass and drops: Stage, Outcome, Verdict
//	rule.go     the rules by which it does
//	text.go     what rules over text have found
//	windows.go  what becomes of the windows that are watched
//	engine.go   actors, calls and commits
//
// Private text stands in fields of type [messages.Text] alone, and nothing here is
// a sentence: package describe of the runtime makes those.
package events
