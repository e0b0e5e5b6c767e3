// Package llm is the worker that asks language models. Its main type is
// [Client], which holds what all workers of a runtime share: how to reach the
// server, how many calls may be under way, and a circuit [Breaker]. [Worker]
// answers messages.AskLLM with it; what is asked comes from actors/prompt.
//
// # Where a question goes
//
// The [Tier] says how far: none (nobody is asked), local (a server on this
// machine: loopback addresses only, which is checked again when it is dialled,
// and no proxy), cloud (any server; https, except for a machine in the own
// network and then without a key). Redirects are not followed, so that neither
// the question nor the key goes anywhere else. A [Model] that the host brings
// goes where the host sends it.
//
// # While the model writes
//
// [Worker.Stream] tells all that has been written so far, at once when it begins,
// then at most every 150 ms, and at the end; thoughts are not in it. An answer that
// starts over has the next epoch. A server may be silent for llm.first_token. The
// tokens of a thought end a silence; messages that only keep a connection alive do
// not. When the context ends, the request does.
//
// A turn of a conversation has one retry in total, which a question with Retry set
// may use: after a failure that may pass and a short pause it is asked once more,
// not streamed. Without it, an answer that breaks off is a failure.
//
// # What langchaingo does, and what not
//
// Its clients write the requests and read the answers. What servers send reaches
// them in the plainest form of their provider: the transport reads it first, because
// the clients take a stream that broke off for a whole one, skip errors in the
// middle of one, refuse blocks that they do not know, print events that they do not
// know, and can panic in goroutines of their own.
//
// # How a failure is told
//
// As an [Error] with one of the [Code]s, which the asking actor finds in
// CallFailed.Code. The code says whose fault it is and whether it may pass. An error
// never holds what a server wrote about its failure: servers quote questions and keys.
// A call that misses the deadline of its asker, and a model that panics, are the
// engine's failures timeout and panic, and restart the worker.
//
// # Vectors
//
// An [Embedder] asks an embedding model for the vectors of texts, under the same rules:
// its tier, its failures, a breaker of its own. It takes only vectors that are some: finite
// numbers, of one length as long as it lives. One text that the server refuses keeps no
// others from their vectors.
//
// # Files
//
// embed.go has the settings of an embedder and reads vectors, worker_embed.go asks for them.
// settings.go is the section llm of a configuration. Rules: failure.go, breaker.go,
// thoughts.go and, for what each provider sends, wire*.go. worker.go is the client and
// the worker, worker_ask.go asks and retries, worker_progress.go tells how far an answer
// is, worker_stats.go counts, worker_place.go says which addresses are allowed,
// worker_http.go connects to them, worker_stream.go reads streams, worker_chain.go has
// the clients of langchaingo, and worker_probe.go looks whether a server answers.
package llm
