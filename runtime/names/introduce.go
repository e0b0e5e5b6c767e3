package names

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kehai-run/kehai/actors/directory"
	"github.com/kehai-run/kehai/actors/text"
	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
)

// Introduce returns the id of the conversation that an application calls by a name, once
// the directory has given it one. A new name waits while the key of a conversation that may
// have it is out of reach; when ctx ends, the error wraps [engine.ErrKeyAway], too.
func (b *Book) Introduce(ctx context.Context, e *engine.Engine, app, name string) (messages.ConversationID, error) {
	if b.Running != nil {
		select { // what is not stored must not reach an actor before
		case <-b.Running:
		case <-ctx.Done():
			return "", fmt.Errorf("runtime: introduce a conversation to %s: not running yet: %w", app, ctx.Err())
		}
	}
	var away error
	for {
		called, forget, err := b.asked(app, name)
		if err != nil {
			return "", err
		}
		if err := e.Inject(ctx, messages.To(directory.Kind, app), introduction(name), ""); err != nil {
			forget()
			if ctx.Err() != nil {
				err = errors.Join(err, away)
			}
			return "", err
		}
		again := time.NewTimer(introduceAgain)
		select {
		case found := <-called:
			again.Stop()
			return one(found, app)
		case <-again.C: // it is fleeting, and may be lost
			forget()
			id, err := Named(e, app, name)
			if away = nil; errors.Is(err, engine.ErrKeyAway) { // the directory goes on once it can
				away, err = err, nil
			}
			if id != "" || err != nil {
				return id, err
			}
		case <-ctx.Done():
			again.Stop()
			forget()
			return "", fmt.Errorf("runtime: introduce a conversation to %s: %w", app, errors.Join(ctx.Err(), away))
		}
	}
}

// introduceAgain is how long an answer of the directory is waited for.
const introduceAgain = time.Second

// IntroduceStepping is [Book.Introduce] where whoever calls it steps the actors.
func (b *Book) IntroduceStepping(e *engine.Engine, app, name string,
	deliver func(messages.Address, messages.Message) error, step func() bool) (messages.ConversationID, error) {
	for range introductions {
		called, forget, err := b.asked(app, name)
		if err == nil {
			err = deliver(messages.To(directory.Kind, app), introduction(name))
		}
		for err == nil && len(called) == 0 && step() {
		}
		if len(called) > 0 {
			return one(<-called, app)
		}
		forget()
		if err != nil {
			return "", err
		}
	}
	return Named(e, app, name)
}

// introductions are how often a directory is sent a name, because a crash may lose it.
const introductions = 10

// introduction tells a directory of a name.
func introduction(name string) messages.Message { return messages.Introduce{Name: messages.Text(name)} }

// asked waits for whom an application calls by a name, until forget is called.
func (b *Book) asked(app, name string) (called chan []messages.ConversationID, forget func(), err error) {
	if title, _ := directory.DefaultRules().Read(messages.Line{Text: messages.Text(name)}); title == "" {
		return nil, func() {}, errNoName
	}
	called, key := make(chan []messages.ConversationID, 1), introduced{app, messages.Text(name)}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[key] = append(b.waiting[key], called)
	return called, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.waiting[key] = slices.DeleteFunc(b.waiting[key], func(c chan []messages.ConversationID) bool {
			return c == called
		})
		if len(b.waiting[key]) == 0 {
			delete(b.waiting, key)
		}
	}, nil
}

var errNoName = errors.New("runtime: want the name of a conversation")

// Named finds the one conversation that an application calls by a name; "" if there is none. The error wraps
// [engine.ErrKeyAway] if one that cannot be read for now may be it.
func Named(e *engine.Engine, app, name string) (messages.ConversationID, error) {
	known, away, err := InReach(e)
	if err != nil {
		return "", err
	}
	title, _ := directory.DefaultRules().Read(messages.Line{Text: messages.Text(name)})
	if title == "" {
		return "", errNoName
	}
	id, err := one(directory.Called(known, app, string(title)), app)
	if id == "" && err == nil {
		err = away.Err()
	}
	return id, err
}

// one is the only conversation that an application calls by a name, "" for none. Several are an error.
func one(found []messages.ConversationID, app string) (messages.ConversationID, error) {
	switch len(found) {
	case 0:
		return "", nil
	case 1:
		return found[0], nil
	}
	return "", fmt.Errorf("%w: %d of application %s", control.ErrNotClear, len(found), app)
}

// Resolve puts an id in the place of a name behind its application, as "line:Hana". It
// returns the application and the name of one that was never seen, if it is one of
// apps; an unknown id is left as it is.
func Resolve(e *engine.Engine, apps []string, c *messages.ConversationID) (app, name string, err error) {
	known, err := ofID(e, *c)
	var away Away
	if err == nil && len(known) == 0 {
		known, away, err = InReach(e)
	}
	if err != nil {
		return "", "", err
	}
	found := directory.Called(known, "", string(*c))
	app, name, ok := strings.Cut(string(*c), ":")
	switch {
	case len(found) > 1:
		return "", "", fmt.Errorf("%w: say which by its id", control.ErrNotClear)
	case len(found) == 1:
		*c = found[0]
	case ok && name != "" && slices.Contains(apps, app): // if it may be that of another, the directory waits
		return app, name, nil
	default:
		return "", "", away.unless(e, *c)
	}
	return "", "", nil
}

// Title is what the window of a conversation shows as its title; ok is false if it is unknown.
func Title(e *engine.Engine, c messages.ConversationID) (title messages.Text, ok bool, err error) {
	known, err := ofID(e, c)
	if err != nil {
		return "", false, err
	}
	title, ok = directory.TitleOf(known, c)
	return title, ok, nil
}

// Nearest is the name that was probably meant, "" if none is near.
func Nearest(name string, known []string) string { return text.Nearest(name, known) }
