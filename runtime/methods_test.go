package runtime_test

import (
	"context"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kehai-run/kehai/messages"
	"github.com/kehai-run/kehai/messages/events"
	"github.com/kehai-run/kehai/runtime"
	"github.com/kehai-run/kehai/runtime/control"
	"github.com/kehai-run/kehai/runtime/engine"
	"github.com/kehai-run/kehai/runtime/store/mem"
)

// method calls one exported method of a runtime or of its backend.
type method struct {
	call   func(context.Context, *runtime.Runtime) error
	always bool  // it answers the same before, during and after a run
	during error // what it returns during a run; nil: no error
}

var errAny = errors.New("any error")

// backend is all that the backend of a runtime answers.
type backend interface {
	control.Backend
	control.BackupBackend
	control.ClusterBackend
	control.FocusBackend
	control.MemoryBackend
	control.PageBackend
	control.ReplyBackend
	control.ShutBackend
	control.TalkBackend
}

func backendOf(rt *runtime.Runtime) backend { return rt.Backend().(backend) }

// asEmpty calls a method of the backend with empty arguments.
func asEmpty(name string) func(context.Context, *runtime.Runtime) error {
	return func(ctx context.Context, rt *runtime.Runtime) error {
		call := reflect.ValueOf(backendOf(rt)).MethodByName(name)
		var args []reflect.Value
		for i := range call.Type().NumIn() {
			switch typ := call.Type().In(i); typ {
			case reflect.TypeFor[context.Context]():
				args = append(args, reflect.ValueOf(ctx))
			case reflect.TypeFor[io.Writer]():
				args = append(args, reflect.ValueOf(io.Discard))
			default:
				args = append(args, reflect.Zero(typ))
			}
		}
		results := call.Call(args)
		err, _ := results[len(results)-1].Interface().(error)
		return err
	}
}

// methods are all of them, but for those that start a run.
var methods = map[string]method{
	"Runtime.Backend": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Backend(); return nil },
		always: true},
	"Runtime.Inspect": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Inspect(); return nil },
		always: true},
	"Runtime.LogName": {call: func(_ context.Context, rt *runtime.Runtime) error {
		rt.LogName("line:Hana")
		return nil
	}, always: true},
	"Runtime.Ready": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Ready(); return nil },
		always: true},
	"Runtime.Talk": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Talk(); return nil },
		always: true},
	"Runtime.Memory": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Memory(); return nil },
		always: true},
	"Runtime.Healthy": {call: func(_ context.Context, rt *runtime.Runtime) error { return rt.Healthy() }},
	"Runtime.Subscribe": {call: func(_ context.Context, rt *runtime.Runtime) error { return rt.Subscribe("", nil) },
		during: errAny},
	"Runtime.Inject": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.Inject(ctx, "notebook/a", note{1}, "")
	}},
	"Runtime.Sending": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.Sending(ctx, "line:Hana", "text", "trace")
	}},
	"Runtime.Send": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.Send(ctx, "none", "line:Hana", "text", "key")
	}, during: control.ErrNoWindow},
	"Runtime.Typing": {call: func(ctx context.Context, rt *runtime.Runtime) error { return rt.Typing(ctx, "none", 0) },
		during: control.ErrNoWindow},
	"Runtime.Pause":  {call: func(ctx context.Context, rt *runtime.Runtime) error { return rt.Pause(ctx, "") }},
	"Runtime.Resume": {call: func(ctx context.Context, rt *runtime.Runtime) error { return rt.Resume(ctx, "") }},
	"Runtime.Forget": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Forget(ctx, "line:Hana")
		return err
	}},
	"Runtime.Called": {call: func(_ context.Context, rt *runtime.Runtime) error { rt.Called("c-1"); return nil },
		always: true},
	"Runtime.Conversation": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Conversation(ctx, "line", "Hana")
		return err
	}},
	"Runtime.Conversations": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Conversations(ctx)
		return err
	}},
	"Runtime.Merge": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.Merge(ctx, "c-nobody", "c-either")
	}, during: control.ErrNoConversation},
	"Runtime.Split": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Split(ctx, control.Split{Conversation: "c-nobody", Name: "Ken"})
		return err
	}, during: control.ErrNoConversation},
	"Runtime.Held": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Held(ctx)
		return err
	}},
	"Runtime.SettleHeld": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.SettleHeld(ctx, "line@test/1", "")
	}, during: runtime.ErrNoHeld},
	"Runtime.Rename": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.Rename(ctx, "c-nobody", "Hana")
	}, during: control.ErrNoConversation},
	"Runtime.Title": {call: func(_ context.Context, rt *runtime.Runtime) error {
		_, _, err := rt.Title("c-nobody")
		return err
	}},

	"Runtime.Drafts": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Drafts(ctx)
		return err
	}},
	"Runtime.ApproveDraft": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.ApproveDraft(ctx, "line:Hana/1.1")
	}, during: control.ErrNoDraft},
	"Runtime.EditDraft": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.EditDraft(ctx, "line:Hana/1.1", "text")
	}, during: control.ErrNoDraft},
	"Runtime.RejectDraft": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.RejectDraft(ctx, "line:Hana/1.1")
	}, during: control.ErrNoDraft},
	"Runtime.HoldDraft": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.HoldDraft(ctx, "line:Hana/1.1")
	}, during: control.ErrNoDraft},
	"Runtime.Reminders": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Reminders(ctx)
		return err
	}},
	"Runtime.CancelReminder": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return rt.CancelReminder(ctx, "line:Hana/1")
	}, during: control.ErrNoReminder},
	"Backend.Reminders": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Reminders(ctx)
		return err
	}},
	"Backend.CancelReminder": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).CancelReminder(ctx, "line:Hana/1")
	}, during: control.ErrNoReminder},
	"Runtime.Judgements": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Judgements(ctx)
		return err
	}},

	"Runtime.Remember": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Remember(ctx, "c-nobody", nil)
		return err
	}},
	"Runtime.Recall": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Recall(ctx, control.RecallQuery{Conversation: "c-nobody", Text: "text", K: 1})
		return err
	}},
	"Runtime.Recalled": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := rt.Recalled(ctx, "c-nobody/run.1")
		return err
	}, during: control.ErrNoRun},

	"Backend.Drafts": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Drafts(ctx)
		return err
	}},
	"Backend.DraftDo": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).DraftDo(ctx, "line:Hana/1.1", messages.DraftEdit, " ")
	}, during: control.ErrDraftText},
	"Backend.Judgements": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Judgements(ctx)
		return err
	}},
	"Backend.Which": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Which(ctx, "Hana")
		return err
	}},
	"Backend.Conversations": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Conversations(ctx)
		return err
	}},
	"Backend.Merge": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Merge(ctx, "c-nobody", "c-either")
	}, during: control.ErrNoConversation},
	"Backend.Split": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Split(ctx, control.Split{Conversation: "c-nobody", Name: "Ken"})
		return err
	}, during: control.ErrNoConversation},
	"Backend.Held": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Held(ctx)
		return err
	}},
	"Backend.SettleHeld": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).SettleHeld(ctx, "line@test/1", "")
	}, during: runtime.ErrNoHeld},
	"Backend.Rename": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Rename(ctx, "c-nobody", "Hana")
	}, during: control.ErrNoConversation},
	"Backend.Status": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Status(ctx)
		return err
	}, always: true},
	"Backend.Timeline": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Timeline(ctx, control.Query{}, func(control.Entry) error { return nil })
	}},
	"Backend.Verdicts": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Verdicts(ctx, control.Query{}, func(events.Verdict) error { return nil })
	}},
	"Backend.DeadLetters": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).DeadLetters(ctx)
		return err
	}},
	"Backend.RetryDeadLetter": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).RetryDeadLetter(ctx, "d1")
	}, during: engine.ErrNoDeadLetter},
	"Backend.DiscardDeadLetter": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).DiscardDeadLetter(ctx, "d1")
	}, during: engine.ErrNoDeadLetter},
	"Backend.Subscriptions": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Subscriptions(ctx)
		return err
	}},
	"Backend.DropSubscription": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).DropSubscription(ctx, "nobody")
	}, during: engine.ErrNoSubscription},
	"Backend.ParkEvent": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).ParkEvent(ctx, "nobody")
	}, during: engine.ErrNoSubscription},
	"Backend.Trace": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Trace(ctx, "m1")
		return err
	}, during: control.ErrNoMessage},
	"Backend.Why": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Why(ctx, control.WhyQuery{Limit: control.DefaultFound, Text: "lunch"})
		return err
	}},
	"Backend.Pause": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Pause(ctx, "")
	}},
	"Backend.Resume": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).Resume(ctx, "")
	}},
	"Backend.Forget": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).Forget(ctx, "line:Hana")
		return err
	}},
	"Backend.FocusDesks": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).FocusDesks(ctx)
		return err
	}},
	"Backend.FocusChanges": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).FocusChanges(ctx, func(control.FocusChange) error { return nil })
	}},
	"Backend.FocusBaselines": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		_, err := backendOf(rt).FocusBaselines(ctx)
		return err
	}},
	"Backend.ForgetBaseline": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).ForgetBaseline(ctx, "")
	}, during: control.ErrNoBaseline},
	"Backend.PauseNotices": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).PauseNotices(ctx, time.Time{})
	}, during: control.ErrNoDesk},
	"Backend.ResumeNotices": {call: func(ctx context.Context, rt *runtime.Runtime) error {
		return backendOf(rt).ResumeNotices(ctx)
	}, during: control.ErrNoDesk},

	"Backend.Begin":         {call: asEmpty("Begin")},
	"Backend.Define":        {call: asEmpty("Define"), during: control.ErrProject},
	"Backend.Insights":      {call: asEmpty("Insights")},
	"Backend.News":          {call: asEmpty("News")},
	"Backend.Say":           {call: asEmpty("Say"), during: control.ErrNoConversation},
	"Backend.Stop":          {call: asEmpty("Stop"), during: control.ErrNoConversation},
	"Backend.Talk":          {call: asEmpty("Talk"), during: control.ErrNoConversation},
	"Backend.Import":        {call: asEmpty("Import")},
	"Backend.Learned":       {call: asEmpty("Learned")},
	"Backend.MemoryStats":   {call: asEmpty("MemoryStats")},
	"Backend.Recall":        {call: asEmpty("Recall"), during: errAny},
	"Backend.Reindex":       {call: asEmpty("Reindex")},
	"Backend.Remembered":    {call: asEmpty("Remembered"), during: control.ErrNoEvent},
	"Backend.Run":           {call: asEmpty("Run"), during: control.ErrNoRun},
	"Backend.Settled":       {call: asEmpty("Settled")},
	"Backend.Unrelated":     {call: asEmpty("Unrelated"), during: control.ErrNoRun},
	"Backend.VerifyMemory":  {call: asEmpty("VerifyMemory")},
	"Backend.Cluster":       {call: asEmpty("Cluster"), during: control.ErrNoCluster, always: true},
	"Backend.Stranded":      {call: asEmpty("Stranded"), during: control.ErrNoCluster, always: true},
	"Backend.Expel":         {call: asEmpty("Expel"), during: control.ErrNoCluster, always: true},
	"Backend.Invite":        {call: asEmpty("Invite"), during: control.ErrNoCluster, always: true},
	"Backend.Settle":        {call: asEmpty("Settle"), during: control.ErrNoCluster, always: true},
	"Backend.MakePageKey":   {call: asEmpty("MakePageKey"), during: control.ErrNoPage, always: true},
	"Backend.PageLink":      {call: asEmpty("PageLink"), during: control.ErrNoPage, always: true},
	"Backend.PageKeys":      {call: asEmpty("PageKeys"), always: true},
	"Backend.RevokePageKey": {call: asEmpty("RevokePageKey"), during: control.ErrNoKey, always: true},
	"Backend.Backup":        {call: asEmpty("Backup")},
	"Backend.Shut":          {call: asEmpty("Shut")},
}

// starters are the methods that make a runtime run. Called again they fail.
var starters = map[string]func(context.Context, *runtime.Runtime) error{
	"Runtime.Run":      func(ctx context.Context, rt *runtime.Runtime) error { return rt.Run(ctx) },
	"Runtime.RunUntil": func(ctx context.Context, rt *runtime.Runtime) error { return rt.RunUntil(ctx, ctx) },
	"Runtime.Join": func(_ context.Context, rt *runtime.Runtime) error {
		_, _, err := rt.Join(&engine.SimOptions{}, nil)
		return err
	},
	"Runtime.Simulate": func(_ context.Context, rt *runtime.Runtime) error {
		_, err := rt.Simulate(engine.SimOptions{})
		return err
	},
}

// TestMethodsAreKnown keeps the tables whole.
func TestMethodsAreKnown(t *testing.T) {
	var want []string
	for prefix, typ := range map[string]reflect.Type{
		"Runtime.": reflect.TypeFor[*runtime.Runtime](), "Backend.": reflect.TypeFor[backend](),
	} {
		for i := range typ.NumMethod() {
			want = append(want, prefix+typ.Method(i).Name)
		}
	}
	for _, name := range want {
		if _, ok := methods[name]; !ok && starters[name] == nil {
			t.Errorf("%s is in no table: say there how it is called, and what it returns before, during and after a "+
				"run", name)
		}
	}
	if n := len(methods) + len(starters); n != len(want) {
		t.Errorf("the tables have %d methods, want %d", n, len(want))
	}
}

// wantOutside calls every method of a runtime that is not open.
func wantOutside(t *testing.T, rt *runtime.Runtime, when string) {
	t.Helper()
	for name, m := range methods {
		err := m.call(t.Context(), rt)
		switch {
		case name == "Runtime.Subscribe" && err != nil, m.always && errors.Is(err, m.during):
		case m.always || !errors.Is(err, runtime.ErrNotRunning):
			t.Errorf("%s %s = %v, want ErrNotRunning, or the same at any time (%v)", name, when, err, m.always)
		}
	}
	if s := rt.Inspect(); s.Running || s.Healthy {
		t.Errorf("Inspect %s says running %v, healthy %v; want neither", when, s.Running, s.Healthy)
	}
}

// closingStore does something before it closes.
type closingStore struct {
	engine.Store
	first func()
}

func (s closingStore) Close() error {
	s.first()
	return s.Store.Close()
}

// TestMethodsWhileTheStoreOpensAndCloses: a run whose store is not open is not
// healthy, and says so in every method.
func TestMethodsWhileTheStoreOpensAndCloses(t *testing.T) {
	var rt *runtime.Runtime
	rt = newRuntime(t, noWindow(t), runtime.WithStore(func() (engine.Store, error) {
		wantOutside(t, rt, "while the store opens")
		return closingStore{mem.New(), func() { wantOutside(t, rt, "while the store closes") }}, nil
	}))
	if err := start(t, rt)(); err != nil {
		t.Error(err)
	}
}

// TestMethodsAtAnyTime: outside of a run each method says so, whatever it needs.
func TestMethodsAtAnyTime(t *testing.T) {
	ctx := t.Context()
	rt := newRuntime(t, noWindow(t))
	outside := func(when string) { wantOutside(t, rt, when) }
	outside("before Run")
	stop := start(t, rt)
	for name, m := range methods {
		err := m.call(ctx, rt)
		if m.during == nil && err != nil || m.during == errAny && err == nil || m.during != nil && m.during != errAny &&
			!errors.Is(err, m.during) {
			t.Errorf("%s during Run = %v, want %v", name, err, m.during)
		}
	}
	again := func(when string) {
		for name, call := range starters {
			if err := call(ctx, rt); err == nil || !strings.Contains(err.Error(), "make a new runtime") {
				t.Errorf("%s %s = %v, want an error that says to make a new runtime", name, when, err)
			}
		}
	}
	again("during Run")
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	outside("after Run")
	again("after Run")
}

// TestMethodsBesideARun calls everything from several goroutines while a run
// begins and ends; the race detector watches.
func TestMethodsBesideARun(t *testing.T) {
	var names []string
	for name := range methods {
		names = append(names, name)
	}
	slices.Sort(names)
	for range 3 {
		rt := newRuntime(t, noWindow(t))
		calling, stopCalling := context.WithCancel(t.Context())
		var callers sync.WaitGroup
		for n := range 4 {
			callers.Go(func() {
				for i := n; calling.Err() == nil; i++ {
					methods[names[i%len(names)]].call(calling, rt)
				}
			})
		}
		stop := start(t, rt)
		err := stop()
		var unfinished *runtime.Unfinished // what is injected last may be under way
		if err != nil && !errors.As(err, &unfinished) {
			t.Errorf("Run = %v", err)
		}
		stopCalling()
		callers.Wait()
	}
}

// TestReadyEndsWithAFailedRun: who waits for Ready does not wait for ever.
func TestReadyEndsWithAFailedRun(t *testing.T) {
	broken := errors.New("no disk")
	rt := newRuntime(t, noWindow(t), runtime.WithStore(func() (engine.Store, error) { return nil, broken }))
	if err := rt.Run(t.Context()); !errors.Is(err, broken) {
		t.Errorf("Run = %v, want %v", err, broken)
	}
	select {
	case <-rt.Ready():
	default:
		t.Error("Ready is open after Run has failed")
	}
	if err := rt.Healthy(); !errors.Is(err, runtime.ErrNotRunning) {
		t.Errorf("Healthy() = %v, want ErrNotRunning", err)
	}
}
