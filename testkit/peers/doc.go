// Package peers compares Kehai's memory with other engines in one run: full-text search with bleve
// and SQLite's FTS5 with trigrams, vectors with sqlite-vec and chromem. It is a module of its own,
// so that no host of Kehai inherits them. `make bench-memory` runs it; it needs a C compiler and
// the header of SQLite, libsqlite3-dev of Debian. Folder replicated does the same for clusters, with
// etcd.
package peers
