// Package replicated compares Kehai's replicated turns with etcd: three nodes in one
// process, on one disk. Each keeps acknowledged writes through a power cut. `make
// bench-cluster` runs it after Kehai's own benchmark, whose output it reads.
package replicated
