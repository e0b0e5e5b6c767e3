package messages

// Kinds of actors, the first part of their addresses. Packages address each other's
// actors by these names.
const (
	ActorPoller       = "poller"    // key: window
	ActorStructure    = "structure" // key: window
	ActorFusion       = "fusion"    // key: window
	ActorDirectory    = "directory" // key: application
	ActorDedup        = "dedup"     // key: conversation; the same for those below
	ActorIngress      = "ingress"
	ActorBurst        = "burst"
	ActorConversation = "conversation"
	ActorJudge        = "judge"
	ActorRecall       = "recall"
	ActorProject      = "project" // key: project; the same for insight
	ActorInsight      = "insight"
	ActorGrowth       = "growth"
	ActorOwner        = "owner"    // key: node
	ActorOutbound     = "outbound" // key: window
	ActorKeyboard     = "keyboard" // key: node
	ActorStall        = "stall"    // key: node
	ActorCatchUp      = "catchup"  // key: window

	ActorCamera   = "camera" // key: desk; the same for those below
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
	WorkerWords     = "words"  // find what a text is about
	WorkerReader    = "reader" // read what is new in the memory
	WorkerLearner   = "learner"
	WorkerEmbedder  = "embedder" // say what events mean, as vectors
	// WorkerLLM asks a language model. Without one, as with llm.tier none, a call
	// fails at once with [FailureUnknown].
	WorkerLLM = "llm"
)
