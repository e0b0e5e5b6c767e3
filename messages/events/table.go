package events

import "github.com/kehai-run/kehai/messages"

// Core is the table of all of Kehai's own message types: the messages between
// actors, from [messages.Core], and the events of this package. The rules there
// about names and versions hold here too.
func Core() messages.Table {
	return append(messages.Core(), messages.Table{
		messages.Fleeting[ActorStarted](),
		messages.Fleeting[ActorRestarted](),
		messages.Fleeting[ActorStopped](),
		messages.Fleeting[ActorUnhealthy](),
		messages.Fleeting[MessageFailed](),
		messages.Fleeting[MessageQuarantined](),
		messages.Fleeting[MessageOverflowed](),
		messages.Fleeting[Dropped](),
		messages.Fleeting[Passed](),
		messages.Fleeting[CallFinished](),
		messages.Fleeting[CommitFailed](),
		messages.Fleeting[StoreLow](),
		messages.Fleeting[StoreRecovered](),
		messages.Fleeting[CaptureState](),
		messages.Fleeting[FrameSeen](),
		messages.Fleeting[Accepted](),
		messages.Fleeting[EchoGuardMiss](),
		messages.Fleeting[StructureState](),
		messages.Fleeting[CursorTruncation](),
		messages.Fleeting[TextDelta](),
		messages.Fleeting[CursorNotFound](),
		messages.Fleeting[TextUnchanged](),
		messages.Fleeting[FuzzyDedupHit](),
		messages.Fleeting[EchoMessage](),
		messages.Durable[MessageUnreadable](nil),
		messages.Durable[ConversationUnknown](nil).AboutNobody(),
		messages.Fleeting[IdentityState](),
		messages.Fleeting[ConversationNamed](),
		messages.Fleeting[ConversationCalled](),
		messages.Fleeting[SidesState](),
		messages.Fleeting[TypingState](),
		messages.Fleeting[ReplyTyped](),
	}...)
}

// v1 is the type of a message whose stored form has not changed yet.
func v1(name string) messages.Type { return messages.Type{Name: name, Version: 1} }
