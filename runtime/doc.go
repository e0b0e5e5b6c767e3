// Package runtime is what a host imports to run Kehai in its own process. The
// main type is [Runtime]:
//
//	rt, err := runtime.New(runtime.Default())
//	…
//	rt.Subscribe("my host", func(ctx context.Context, ev runtime.Event) error { … })
//	err = rt.Run(ctx)
//
// [Config] says what to watch and how; options replace drivers, actors and the
// store, and add message types of the host's own. topology.go is the one table
// of actors. There are no globals and no init: two runtimes may live in one
// process, with a data directory each.
//
// A data directory holds
//
//	store/         Badger: everything durable (package runtime/store)
//	store.next/    the store with another key, while kehai encrypt makes it (package runtime/datadir)
//	keys/          what seals it (package runtime/keyring)
//	inhand         what was in progress, in case the process dies (package runtime/bare)
//	index/         the saved index of the memory, sealed
//	receipts/      of what was forgotten (package runtime/keyring)
//	windows/       journals of drawn windows
//	prompts/       texts that replace what models are asked, if there are any
//	debug/         newest frames and their texts, only with debug.text (package runtime/snapshot)
//	page.sessions  hashes of the keys of the page and the interface (package runtime/web)
//	cluster/       who this machine is in a cluster, and its log (packages runtime/cluster/identity, journal)
//	aside-TIME/    what this machine held of a cluster that it has left (package runtime/cluster/seat)
//	feed.token     opens the feed to face trackers over HTTP (package runtime/feed)
//	tracker/       the face tracker of the camera page (package runtime/web)
//	kehai.sock     how the command line reaches the process (package runtime/control)
//	focus.sock     how face trackers do
//
// The sockets are elsewhere where their paths would be too long.
//
// This package wires: topology.go says which actors there are. Everything else has a
// package of its own, and each may import only what stands below it:
//
//	bare                 a kernel with its readers, what every runtime has; alone it links nothing else
//	parts, offline       make the actors; open the store of a Kehai that does not run
//	admin                answers questions and carries out commands
//	trace, recording     what became of a message; what windows showed, kept to be replayed
//	names, pause, health, snapshot, attention, drivers, datadir, calibrate
//	                     who is who; what is paused; what is wrong; the newest frames; judging
//	                     outside of a run; what opens hardware, files and layouts
//	config, privacy      what can be set
//	cluster              several machines as one: only cmd/kehai and hosts that ask for it link it
//	web, store, keyring, maintenance, control, follow, feed, telemetry
//	                     the page, the store, its keys and its maintenance, and the ways in and out
//	engine, engine/live  the durable kernel, and protoactor that runs it
//	secret, private, describe
//	                     what a configuration only names; files closed to others; what
//	                     happened, in sentences
package runtime
