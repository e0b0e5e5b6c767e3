// Package keyring keeps the keys that seal what is stored: one for each
// conversation, one for each window or shared actor, and one for the node. Its main
// type is [Ring], which is an engine.Sealer. Whoever forgets a conversation
// destroys its key: what is left of it on a disk or in a backup is of no use then.
//
// The keys are files of a directory beside the store, closed to others:
//
//	node          the node's key, 32 random bytes; all others are wrapped with it
//	32 hex digits the key of one subject, wrapped; the name is a keyed hash
//	list          the names of the keys that were made and that were destroyed
//
// A key is on the disk before anything is sealed with it. A crash can leave a
// *.tmp file, which the next start deletes, or a key that is all zeros, which counts
// as destroyed. A key that is gone by other means is in the list: [Open] refuses the
// directory then, rather than begin a new key beside rows that nobody can read. One
// that is damaged fails what is sealed with it and nothing else; [Inspect] finds it.
// Both directories belong into a backup: the store without the keys is unreadable.
//
// The list is written anew once less than half of it is needed. A new key costs the
// same however many there are: its file and its entry.
//
// A row is sealed with AES-256-GCM:
//
//	id of the key (16 bytes) | nonce (12 random bytes) | ciphertext | tag (16 bytes)
//
// The place of the row in the store is associated data, so that a row that is moved
// elsewhere does not open. A random nonce serves 2^32 rows of one key, which a chat
// does not reach.
package keyring
