// Package names knows what conversations are called: by people ([Book]), by the
// directories whose rows it reads ([Known]), and in the log ([InLog]). It turns what a
// person says into an ID. It keeps two settings in the store:
//
//	directory  that the directories have what an older version left; until then it is looked for
//	log-key    the key of the hashes that stand for names in the log
//
// A crash before one is written makes the next start look again, or choose another key.
package names
