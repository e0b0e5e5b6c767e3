// Package telemetry turns the events of a runtime into log lines and metrics.
// [Log] makes the zerolog listener, [Metrics] is the Prometheus one; both take
// what the engine publishes and never block. The live page is package web.
//
// Private text goes into neither. Text that a person wrote or read has the type
// messages.Text; a line gives only its length. For an event that this package does
// not know, a line gives only the type and the actor. The people somebody talks
// with are private too: [Names] writes a conversation, and the actors named after
// one, as a keyed hash. With [Names].Plain, which is debug.text in the
// configuration, lines hold names and the beginnings of texts as they are.
//
// # Log lines
//
// One line an event. Its message is the stable name of the event's type, for
// example actor_restarted; the fields keep their names and meanings, new ones
// may come.
//
//	hint          what to do about it
//	actor         address kind/key; see below
//	trace_id      trace of the turn that caused the event
//	id            of the message or of the dead letter
//	type          stable name of a message's type
//	reason        why, for people
//	attempt       1 for the first
//	restarts      of the actor since the process started
//	delay_ms      backoff before the restart
//	healthy fatal
//	stack         of a panic
//	policy        what a full mailbox did
//	drop_stage    stage that let something go no further
//	drop_reason   why it did
//	cause         id of the message that was being handled
//	worker call caller error_code took_ms
//	window bubbles read cached
//	conversation kind parts runes lag_ms
//	occurrence    number of a message in its conversation
//	dedup_reason  always none: ingress let the message pass
//	dedup_spared  text window that would have stopped it, had its place not proved it new
//	text_hash     keyed hash of a text
//	text_matched  the text is one that Kehai sent, its side says incoming
//	active_sends last_send_age_ms
//	discarded kept lines             of a text that a cursor cut
//	prev_hash prev_runes curr_hash curr_runes   two texts that are the same
//	query_hash query_runes matched_hash matched_runes   a line taken for another
//	match age_ms side                how a text is like one that was sent
//	text prev_text curr_text query_text matched_text   with debug.text only
//	rows delta attempts              of a window whose list has grown
//	score confidence                 of a frame, and the score of each signal as score_SIGNAL
//	pixel_text_changed               0 or 1, of a frame that was scored
//	lines text_hash text_runes       of what a text says that it did not say before
//	turns free_bytes need_bytes
//
// # Metrics
//
// Labels are kinds, stages, workers and results, never addresses or windows;
// each label takes at most 64 values, later ones are counted as "other".
//
//	kehai_actors{kind}                          live actors
//	kehai_actors_unhealthy{kind}                actors that spent their restart budget
//	kehai_mailbox_messages{kind}                messages that wait in memory
//	kehai_mailbox_messages_max{kind}            of the fullest mailbox of the kind
//	kehai_turns_pending{kind}                   turns that wait for their commit
//	kehai_turns_total{kind}                     turns since the process started
//	kehai_restarts_total{kind}                  restarts by supervision
//	kehai_failures_total{kind}                  turns that ended in an error or a panic
//	kehai_quarantined_total{kind}               messages that became dead letters
//	kehai_overflows_total{kind,policy}          fleeting messages a full mailbox dropped or merged
//	kehai_drops_total{stage}                    things a stage let go no further
//	kehai_workers{worker}                       workers in the pool
//	kehai_worker_jobs{worker,state}             calls waiting, busy, resting
//	kehai_calls_total{worker,result}            attempts; result is ok or the kind of failure
//	kehai_call_duration_seconds{worker}         histogram of attempts
//	kehai_commit_turns                          histogram of turns a commit
//	kehai_commit_operations_total               rows written or deleted
//	kehai_commits_failed_total                  batches that the store refused
//	kehai_store_paused                          1 while durable work waits for free space
//	kehai_windows_failing                       watched windows that cannot be captured now
//	kehai_frames_read_total                     frames that were read
//	kehai_frame_read_duration_seconds           histogram of reading a frame
//	kehai_bubbles_total{source}                 bubbles by source: read (an OCR call) or cached
//	kehai_messages_delivered_total              messages committed to a conversation
//	kehai_delivery_delay_seconds                histogram from first seen to committed
//	kehai_llm_questions_total{outcome}          questions by outcome: ok, a code of actors/llm, cancelled, panic
//	kehai_llm_tokens_total{direction}           tokens in and out, where the model tells
//	kehai_llm_breaker_state                     0 closed, 1 half-open, 2 open
//
// and the usual go_… and process_… of the Prometheus client.
package telemetry
