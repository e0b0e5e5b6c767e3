// Package mutants changes the kernel, its driver and its store for the worse, one
// small fault at a time, and runs their tests: each fault must make one fail. A
// fault that none sees says what is not tested.
//
// The table of faults is in table_test.go, behind the build tag mutants; TestMutants
// runs it (make mutants, about forty minutes on two busy cores). It changes no file:
// the Go command reads the changed text in place of the file. A fault replaces text
// of today's source. When a refactoring removes that text, write the fault anew.
package mutants
