// Package transport is the wires between the members of a cluster: one TCP port, mutual TLS
// 1.3, and behind the handshake either a stream of the replicated log, a request to a
// service, or a machine that was invited. Its main type is [Transport], a cluster.Network.
//
// identity.Book decides who may speak, on both ends and again whenever the book changes: a
// certificate that is foreign, out of date or revoked gets nothing, and its open
// connections are cut. Requests are HTTP/1.1, so that sizes, times and panics are bounded
// by net/http; a malformed one costs its connection.
package transport
