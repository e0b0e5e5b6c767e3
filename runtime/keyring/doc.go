// Package keyring keeps the keys that seal what is stored: one for each conversation, one
// for each window or shared actor, and one for the node. Its main type is [Ring], which
// is an engine.Sealer. To forget a conversation is to destroy its key: anything left of
// it on a disk or in a backup is then useless.
//
// The keys are files in a directory next to the store, closed to others:
//
//	node          the node's key, 32 random bytes; all others are wrapped with it
//	32 hex digits the key of one subject, wrapped; the name is a keyed hash
//	list          the names of the keys that were made and that were destroyed
//	store         the key of the whole store, if it is encrypted (package runtime/datadir)
//
// On a Mac, node and store can say "kehai keychain 1" and under which name the login keychain
// holds what they would ([IntoKeychain]).
//
// A key is on the disk before anything is sealed with it. A crash can leave a *.tmp file,
// which the next start deletes, or a key that is all zeros and by the list destroyed. A
// key that went missing in another way is still in the list: [Open] then refuses the
// directory, rather than start a new key while old rows cannot be read. Open compares names
// and reads no key of which the list has a stamp, as there may be a million. A blank or damaged key affects
// only what is sealed with it: its use fails and puts no other in its place, and [Inspect],
// which reads all, finds it. Back up both directories: the store without the keys is
// unreadable, and a copy of the keys opens what was forgotten since, in a store as old. So Time
// Machine leaves the directory out on a Mac, and a person decides about copies with [Backup].
//
// The list keeps telling what was destroyed, which is then not restored from an older copy ([Taking]). At least half of
// its entries are needed. Each of them has a check, with which a changed byte is put right; how it is written stands
// at listFile. A new key always costs the same, its file and its entry, however many there are.
//
// A row is sealed with AES-256-GCM:
//
//	id of the key (16 bytes) | nonce (12 bytes) | ciphertext | tag (16 bytes)
//
// The place of the row in the store is associated data, so a row that is moved does not
// open. Nonces come in short runs from random starts, which serve 2^32 rows of one key; a chat
// does not reach that.
package keyring
