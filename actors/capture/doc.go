// Package capture is the worker that takes pictures of windows. [New] makes the
// constructor of the pool. A [Locate] says what may be captured and by which
// driver. Package poller sends the requests.
//
// A driver's typed error (no permission, window gone) becomes a refusal with the
// error's code: the worker is well, and the poller waits. Any other error ends
// the worker.
package capture
