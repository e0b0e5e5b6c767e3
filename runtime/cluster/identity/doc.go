// Package identity is who a machine is in a cluster: its certificate, the authority that
// issued it, and the book of the members. Its main type is [Identity].
//
// It lives in DATA/cluster, closed to others; a directory without a book is no identity,
// and what an interrupted start has left there is overwritten:
//
//	ca.crt, ca.key       the cluster's own authority; a witness has no ca.key
//	node.crt, node.key   this machine's certificate
//	book.json            the members and the revoked certificates, as last known; written last
//
// A certificate alone opens nothing: every member that is no witness could issue one. A
// peer must be in the book, with the key that was admitted there. So whoever was removed
// or revoked cannot come back with a certificate of its own making, and a certificate is
// renewed with the same key by whoever has the authority's, without asking anybody.
//
// Each book has the number of the change that made it, and a later one replaces an
// earlier one. A machine that was away fetches it from a member that it still knows. It bears the
// authority's signature, so that no witness can make one, and brings back nobody who was revoked.
package identity
