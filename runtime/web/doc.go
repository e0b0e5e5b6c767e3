// Package web is the live page: the newest frame of each watched window with
// the bubbles found in it, messages as they arrive and what becomes of them, the
// attention of the person at the desk with a timeline, the actors and their
// health. Watching is paused and resumed there. It shows private text, so it
// listens on the loopback interface only and wants a token.
//
// [New] opens the port, [Server.Listen] takes what the engine publishes,
// [Server.Serve] answers until its context ends. What a host fills in stands in
// [Options].
//
// # Paths
//
//	/           the page; ?t=TOKEN sets the cookie and leads to the clean URL
//	/events     Server-Sent Events: hello, status, attention, window,
//	            messages, resync, ping
//	/frame      newest frame of ?window=ID as PNG
//	/attention  changes of the last days, for a page that missed some
//	/act        POST of {"verb":…}: what a person asks for, see [Act]
//	/page.css /page.js /attention.js /timeline.js /icon.svg
//	/healthz    200 or 503 with reasons as JSON, without token
//	/metrics    Prometheus, without token
//
// # How the page stays right
//
// Nothing is queued for a client. The server keeps versions of what changes; a
// client's stream is woken, compares them with what it has sent and sends what
// is newer, so that a slow client skips states and never holds anybody up.
// Messages must not be skipped: they are read from the store after the place
// that the client has seen, which is the id of the Server-Sent Event and comes
// back as Last-Event-ID. A client that missed more than a page of them, or that
// saw another process, gets a resync: the newest page, in place of its own.
//
// # Who may look
//
// Requests must name a loopback host (so that a foreign name which resolves to
// this machine is refused), carry no foreign Origin, and have the token. The
// cookie is HttpOnly and SameSite=Strict; browsers do not separate cookies by
// port, so other servers on this machine that the same browser visits receive
// it. It is not the token, and is void after a restart unless the token was
// configured.
//
// A command takes more: the request must tell its origin, and carry a key that
// only a page of this process has been given. No other site can read that key,
// nor send a request with it without asking first, which is refused.
package web
