package testkit

import (
	"context"
	"errors"
	"slices"

	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/pause"
)

// Machines are whole Kehais as one cluster in virtual time, on the goroutine of the test; see
// [SimulateCluster].
type Machines struct {
	*engine.SimCluster
	ends []func() error // of the present processes, by node
}

// SimulateCluster runs whole Kehais as one cluster. machine makes what a node runs, anew at each start
// of its process; the windows that it is given outlive that. From the result of o.Node it uses Latency,
// Wait, Divert and the Store. The caller closes the machines.
func SimulateCluster(o engine.SimClusterOptions, machine func(node string) (*runtime.Runtime, error)) (*Machines,
	error) {
	m := &Machines{ends: make([]func() error, len(o.Nodes))}
	o.Begin = func(node string, so *engine.SimOptions) (loaded func(*engine.Engine) error, err error) {
		i := slices.Index(o.Nodes, node)
		if err := m.end(i); err != nil {
			return nil, err
		}
		r, err := machine(node)
		if err != nil {
			return nil, err
		}
		so.Seed = o.Seed
		loaded, m.ends[i], err = r.Join(so, func(context.Context) error { return m.Barrier(i, pause.LeaseFor) })
		return loaded, err
	}
	var err error
	if m.SimCluster, err = engine.NewSimCluster(o); err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// end ends the process of a node, if there is one.
func (m *Machines) end(i int) error {
	end := m.ends[i]
	if m.ends[i] = nil; end == nil {
		return nil
	}
	return end()
}

// Close ends all processes.
func (m *Machines) Close() (err error) {
	for i := range m.ends {
		err = errors.Join(err, m.end(i))
	}
	return err
}
