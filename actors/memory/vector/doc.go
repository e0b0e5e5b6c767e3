// Package vector finds events by what they mean: it keeps a [Vector] of each, and
// [Index.Search] returns those nearest in direction to a question's. The caller
// makes the vectors from texts.
//
// A vector is stored as one byte for each dimension, and its signs once more as bits.
// A search compares the bits of all vectors, which a few instructions count, and computes
// the cosine of the nearest ones only: a thousand, or one in two hundred. Vectors of two
// models, or of two lengths, are never compared: each kind has a space of its own.
//
// Vectors lie one behind the other in blocks, and what a reader can see is never changed.
// So readers wait for writers only as long as it takes to add one vector. The index is
// in memory alone; the rows of its events hold the vectors ([Vector.Bytes]).
//
// There is no index of lists or of a graph: a scan of a million vectors takes a few
// milliseconds, and costs nothing when a vector comes or goes.
package vector
