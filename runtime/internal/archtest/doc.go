// Package archtest guards how the repository is built: who may import whom,
// which files are pure, where state may hide, what must be documented.
//
// It has tests only. Each file holds rules that are functions from a tree of files to
// findings, so that TestRulesFind can show every rule a small tree that breaks
// it; repository_test.go applies all of them to the repository. A finding says
// what to do about it. Exceptions stand beside their rule, each with its reason.
package archtest
