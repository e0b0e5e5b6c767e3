// Package invite lets a machine into a cluster by a code that a person carries over. Its
// main types are [Code], and [Issuer], which holds the open invitations of a member.
//
// A code names where the member listens, the fingerprint of the cluster's authority, and a
// secret that is used once, within [Lifetime]. The two meet over TLS 1.3. The machine that
// joins checks the fingerprint; each side then proves that it knows the secret, bound to
// this very connection, so that nobody between the two can pass the proof on. Only then
// does either say anything else: the one its request for a certificate, the other the
// grant. See [Issuer.Serve] for the lines that go back and forth.
package invite
