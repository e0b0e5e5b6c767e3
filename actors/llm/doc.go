// Package llm is the worker that asks language models. Its main type is
// [Client], which holds what all workers of a runtime share: how to reach the
// model, how many calls may be under way, and a circuit [Breaker]. [Worker]
// answers messages.AskLLM with it; prompts stay with the actors that ask.
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
// # How a failure is told
//
// As an [Error] with one of the [Code]s, which the asking actor finds in
// CallFailed.Code. What a server wrote about its failure is not in it: servers
// quote questions and keys. A call that misses the deadline of its asker, and a
// model that panics, are the engine's failures timeout and panic, and restart
// the worker.
//
// # Files
//
// failure.go, breaker.go and ollama.go are rules; worker.go is the client and the
// worker, worker_place.go says which addresses are allowed, worker_http.go
// connects to them, worker_chain.go has the clients of langchaingo, and
// worker_probe.go looks whether a server answers.
package llm
