// Package admin answers what people ask of a Kehai and does what they tell it to,
// over its store: messages, trace and why, verdicts, pause, forget, dead letters,
// retention, and what the live page shows. The main type is [Backend], which
// implements [control.Backend] for a Kehai that runs; [Offline] is the same over
// the store of one that does not.
//
// What actors keep is read by the tables that they export, and changed by
// messages to them. Of its own this package keeps three settings in the store:
//
//	pause      the windows, and the desk, that are not watched for a while
//	directory  that the directories have what an older version left; until then it is looked for
//	log-key    the key of the hashes that stand for names in the log
//
// Each is written before it counts, so a crash loses none.
package admin
