// Package capture is the worker that takes pictures of windows. [New] makes
// the constructor of the pool; what may be captured, and by which driver, is a
// [Locate]. The poller asks it, see package poller.
//
// A driver's typed error (no permission, window gone) is a refusal with the
// error's code: the worker is well and the poller waits. Any other error costs
// the worker its life.
package capture
