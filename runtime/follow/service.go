package follow

import (
	"context"
	"fmt"
	"sync"
)

// Service runs beside the actors. Its Open acquires what must be there before the actors
// start, such as an address, and returns a function that serves until its context ends.
type Service struct {
	Name string
	On   bool
	Open func(context.Context) (Serve, error)
}

// NewService names a service.
func NewService(name string, on bool, open func(context.Context) (Serve, error)) Service {
	return Service{name, on, open}
}

// Serve serves until its context ends.
type Serve = func(context.Context) error

// At is the Open of a service that acquires nothing.
func At(fn Serve) func(context.Context) (Serve, error) {
	return func(context.Context) (Serve, error) { return fn, nil }
}

// Group runs services and subscriptions; Failed collects their errors.
type Group struct {
	All    sync.WaitGroup // the services
	Failed chan error     // has room for one of each
}

// Opened is the serving function of an opened service.
type Opened struct {
	name  string
	serve Serve
}

// Open opens the services that are on. If one fails, those opened before it are returned
// too.
func (g *Group) Open(ctx context.Context, list []Service) (opened []Opened, err error) {
	for _, s := range list {
		if !s.On {
			continue
		}
		fn, err := s.Open(ctx)
		if err != nil {
			return opened, err
		}
		opened = append(opened, Opened{s.Name, fn})
	}
	return opened, nil
}

// Serve runs what was opened until ctx ends.
func (g *Group) Serve(ctx context.Context, opened []Opened) {
	for _, s := range opened {
		g.Spawn(&g.All, s.name, func() error { return s.serve(ctx) })
	}
}

// Spawn runs fn, and reports its error under a name.
func (g *Group) Spawn(wg *sync.WaitGroup, name string, fn func() error) {
	wg.Go(func() {
		err := errExited
		defer func() {
			if err != nil {
				g.Failed <- fmt.Errorf("runtime: %s: %w", name, err)
			}
		}()
		err = fn()
	})
}
