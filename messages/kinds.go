package messages

// Kinds of actors, the first part of their addresses. Who sends to an actor of
// another package names it by these.
const (
	ActorPoller       = "poller"    // key: window
	ActorStructure    = "structure" // key: window
	ActorFusion       = "fusion"    // key: window
	ActorDirectory    = "directory" // key: application
	ActorDedup        = "dedup"     // key: conversation, as of those that follow
	ActorIngress      = "ingress"
	ActorBurst        = "burst"
	ActorConversation = "conversation"
	ActorJudge        = "judge"
	ActorRecall       = "recall"
	ActorOwner        = "owner"    // key: node
	ActorOutbound     = "outbound" // key: window
	ActorKeyboard     = "keyboard" // key: node

	ActorCamera   = "camera" // key: desk, as of those that follow
	ActorUsage    = "pcusage"
	ActorFocus    = "focus"
	ActorHistory  = "focushistory"
	ActorNotifier = "notifier"
)

// Kinds of workers.
const (
	WorkerCapture   = "capture"
	WorkerOCR       = "ocr"
	WorkerStructure = ActorStructure
	WorkerUsage     = "usage"
	WorkerNotify    = "notify"
	WorkerHands     = "hands"  // type into windows
	WorkerMemory    = "memory" // search what was ever said
	// WorkerLLM asks a language model. Without one, as with llm.tier none, a call
	// fails at once with [FailureUnknown].
	WorkerLLM = "llm"
)
