// Package peers compares Kehai's memory with other engines of full-text search in one
// run: bleve and SQLite's FTS5 with trigrams. It is a module of its own, so that no
// host of Kehai inherits them. `make bench-memory` runs it; it needs a C compiler.
package peers
