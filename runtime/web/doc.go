// Package web is the live page. It shows the newest frame of each watched window with the
// bubbles found in it, messages with their later changes, gaps and the replies that were
// sent, the attention of the person at the desk with a timeline, and the health of the
// actors. A person can pause and resume watching there. The page shows private text, so
// it listens only on the loopback interface and requires a token.
//
// [New] opens the port, [Server.Listen] takes what the engine publishes, and
// [Server.Serve] answers until its context ends. [Options] is what a host provides.
//
// # Paths
//
// Without the token, because they hold no private data:
//
//	/           the page, and its files beside it: *.js, *.css, icon.svg
//	/chat       conversations: both sides, what is being written, drafts, search
//	/camera     follows a face in the browser; /tracker/… are the files of its [Tracker]
//	/openapi.json what stands below /v1
//	/enter      POST of the code of an address, answered with a key
//	/proof      that this Kehai knows the key with ?key=ID, for ?nonce=HEX
//	/healthz    200 or 503; with the token of the owner or a meter also why, as JSON
//
// With the token:
//
//	/events     Server-Sent Events: hello, messages, resync, window, attention,
//	            status, ping
//	/frame      newest frame of ?window=ID as PNG
//	/masked     the same without what is not incoming
//	/pipeline   what the stages made of the newest frame of ?window=ID
//	/attention  changes of the last days
//	/v1/…       conversations: read, say, follow, decide drafts; see openapi.json
//	/faces      POST of lines of a face tracker, for the feed
//	/metrics    Prometheus; also with the token of a meter, who has nothing else
//	/act        POST of {"verb":…}: what a person asks for, see [Act]
//
// # How the page stays right
//
// Nothing is queued for a client. The server keeps a version of each state. A client's
// stream wakes up, compares these versions with those it sent, and sends what is newer.
// So a slow client skips states and never delays others. Messages must not be skipped.
// The stream reads them from the store, starting after the last one the client has seen:
// the ID of the Server-Sent Event, which comes back as Last-Event-ID. A client that
// missed more than a page of messages, or comes from another process, gets a resync: the
// newest page replaces its own.
//
// # What is shown
//
// Pages are told texts as they are stored, and so are programs that use /v1. What becomes of them on a page
// goes through shown.js alone: they are text and never markup, and a sign stands for each character that
// would change the direction of what stands around it, or hide in it, by the rule of a terminal.
//
// # Who may look
//
// Requests must name a loopback host (so that a foreign name which resolves to this
// machine is refused), carry no foreign Origin, and have the token in the header
// Authorization: programs as a bearer, pages sealed. A command must also have an Origin.
//
// What [Server.URL] has in its fragment, which a browser never sends, is no key but a code:
// with POST /enter the page changes it at once for a key of its own. It works once, for ten
// minutes, and not for another process, so an address that a history, a terminal or a list
// of processes kept opens nothing. The page keeps its key in the tab's session storage,
// which a browser separates by port, and adds it to each fetch. There is no cookie: browsers
// send those to every port of a host, so any program on this machine that the browser visits
// would receive it. A key is valid for 30 days, so that an open page survives a restart; a
// file has its hash, and `kehai page --revoke` ends it at once. A fragment that begins with
// t= holds a key itself: that of a host which gave its own, or one of an older version.
//
// Any program of this machine, of other users too, can open connections and send nothing. So those that have
// not yet shown a key are at most 64, have five seconds for what they send, and the oldest gives way to a newer
// one. What has shown a key counts apart.
//
// # Who answers
//
// When Kehai stops, any program on this machine can take its port, and an open page reaches that one. So a
// page asks /proof for HMAC-SHA256 of its origin, of where Kehai listens, of a salt of the process and of a
// nonce of the page, signed with the hash that Kehai keeps of the key. It does so when it is loaded, after a
// stream has ended or a request has failed, and before each request while it has no stream open by which it
// would notice. No answer at all is asked for again, with pauses. Any other answer than the right one, also
// the right one of a Kehai that listens elsewhere, shuts the page: it says so, forgets its key, in the
// storage of its tab too, and asks nothing more. Another address that `kehai page` prints opens it again.
//
// The proof alone would not do: a browser whose connection breaks sends a request again by itself, to
// whoever has the port by then. So a page never sends its key, but seals it by a keystream from that hash,
// for the process that proved itself: a later one, or one that listens elsewhere, does not take it.
//
// This does not help who loads a page from somebody else: what is loaded from an address can read what the
// tab keeps for it. A page is not loaded again by itself unless Kehai has just proved itself. Nor does it
// help against who can read the file with the hashes, which only programs of the same user can. What a page
// posts at the very moment in which Kehai stops can reach another program, though not the key.
package web
