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
//	windows/       journals of drawn windows
//	kehai.sock     how the command line reaches the process (package runtime/control)
//
// This package wires: topology.go says which actors there are. The rest stands in rooms
// of its own: config is what can be set; admin what people ask and tell a Kehai; drivers
// what it sees, reads and types with; parts how its actors are made; snapshot the newest
// frame of each window; attention what is judged outside of a run. Below these are
// control, follow, feed, telemetry, web and store, and engine, the durable kernel, which
// engine/live runs on protoactor. Each may import only what stands below it.
package runtime
