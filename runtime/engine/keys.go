package engine

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/kehai-run/kehai/messages"
)

// Prefixes of the keyspace; the package comment documents them.
const (
	keyInbox    = "i/"
	keyTimer    = "t/"
	keyCall     = "c/"
	keyAttempts = "a/"
	keyState    = "s/"
	keyDead     = "d/"
	keyLog      = "e/"
	keyVerdict  = "v/"
	keyInjected = "k/"
	keyCursor   = "u/"
	keyForget   = "f/"
	keyOwnPart  = "p/"
	keyBegun    = "g/"
	keyHost     = "h/"
	keyOwner    = "o/"
	keyTaken    = "x/in/"
	keyGiven    = "x/out/"
	keyMetaSeq  = "m/seq"
	keyTrimmed  = "m/trimmed/"

	keyMetaBoot   = "m/boot"
	keyMetaFormat = "m/format"
	keyMetaLoose  = "m/loose"
	keyMetaSealed = "m/sealed"
)

// key is a key of a shard's own: all others tell by their actor where they belong.
func (s Shard) key(key string) string {
	if s == Here {
		return "l" + key
	}
	return key
}

func (s Shard) seqKey() []byte { return []byte(s.key(keyMetaSeq)) }

// takenKey counts the changes that have come from another shard, givenKey the changes that went there.
func (s Shard) takenKey(from string) []byte { return []byte(s.key(keyTaken + from)) }
func (s Shard) givenKey(to Shard) []byte    { return []byte(s.key(keyGiven + to.String())) }

func ownPartKey(c messages.ConversationID) []byte { return []byte(Here.key(keyOwnPart + string(c))) }

// begunKey is where a cluster says which entry began the newest deletion of a conversation, seenKey where a node says
// that it knows of that one.
func begunKey(c messages.ConversationID) []byte { return []byte(keyBegun + string(c)) }
func seenKey(c messages.ConversationID) []byte  { return []byte(Here.key(keyBegun + string(c))) }

func epochKey(a messages.Address) []byte { return []byte(keyOwner + string(a)) }

// recordKey is where a numbered record is stored.
func (s Shard) recordKey(r *Record, seq uint64) []byte {
	key := s.appendPlace(make([]byte, 0, len(keyInbox)+len(r.To)+1+8), r)
	return binary.BigEndian.AppendUint64(key, seq)
}

// appendPlace appends the key of a numbered record without its number.
func (s Shard) appendPlace(to []byte, r *Record) []byte {
	var prefix string
	switch r.Class {
	case ClassMail:
		return append(append(append(to, keyInbox...), r.To...), 0)
	case ClassEvent:
		prefix = s.key(keyLog)
	case ClassVerdict:
		prefix = s.key(keyVerdict)
	case ClassDeadLetter:
		prefix = s.key(keyDead)
	}
	return append(to, prefix...)
}

func seqBytes(seq uint64) string {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], seq)
	return string(b[:])
}

func seqOf(key string) (uint64, bool) {
	if len(key) < 8 {
		return 0, false
	}
	return binary.BigEndian.Uint64([]byte(key[len(key)-8:])), true
}

func ofActor(prefix string, a messages.Address, rest string) string {
	return prefix + string(a) + "\x00" + rest
}

// splitKey undoes ofActor.
func splitKey(prefix, key string) (messages.Address, string, bool) {
	addr, rest, ok := strings.Cut(strings.TrimPrefix(key, prefix), "\x00")
	return messages.Address(addr), rest, ok
}

// OwnerOf is the actor that a stored row belongs to, "" for rows that belong to none.
func OwnerOf(key []byte) messages.Address {
	switch class, _ := classOf(string(key)); class {
	case keyInbox, keyTimer, keyCall, keyAttempts, keyState, keyInjected:
		a, _, _ := splitKey(class, string(key))
		return a
	}
	return ""
}

func inboxKey(a messages.Address, seq uint64) string { return ofActor(keyInbox, a, seqBytes(seq)) }

// classOf returns the prefix of a key as if its shard were Anywhere, and its shard
// if it has one of its own.
func classOf(key string) (class string, s Shard) {
	if strings.HasPrefix(key, "l") {
		key, s = key[1:], Here
	}
	class, _, _ = strings.Cut(key, "/")
	return class + "/", s
}

// shardOfKey is where a row belongs.
func (e *Engine) shardOfKey(key string) Shard { return shardOfKey(e.shardOf, key) }

// shardOfKey is where a row belongs, by the shards of actors.
func shardOfKey(shardOf func(messages.Address) Shard, key string) Shard {
	class, s := classOf(key)
	switch class {
	case keyInbox, keyTimer, keyCall, keyAttempts, keyState, keyInjected, keyOwner:
		a, _, _ := strings.Cut(key[len(class):], "\x00")
		return shardOf(messages.Address(a))
	case keyHost:
		return Here
	}
	switch key {
	case keyMetaBoot, keyMetaFormat, keyMetaLoose, keyMetaSealed:
		return Here
	}
	return s
}

// mailID names the message with a number in an inbox. It stays the same when the
// message is tried again.
func (s Shard) mailID(seq uint64) string {
	if s == Here {
		return "l" + strconv.FormatUint(seq, 10)
	}
	return "m" + strconv.FormatUint(seq, 10)
}

// deadLetterID is how people name the dead letter with a number.
func (s Shard) deadLetterID(seq uint64) string { return s.key("d") + strconv.FormatUint(seq, 10) }

func parseDeadLetterID(id string) (s Shard, seq uint64, err error) {
	number := id
	if strings.HasPrefix(id, "l") {
		s, number = Here, id[1:]
	}
	seq, err = strconv.ParseUint(strings.TrimPrefix(number, "d"), 10, 64)
	if err != nil || !strings.HasPrefix(number, "d") {
		return 0, 0, fmt.Errorf("engine: %q is no dead letter's id: want d or ld and a number, as listed", id)
	}
	return s, seq, nil
}

func (s Shard) deadKey(seq uint64) []byte { return []byte(s.key(keyDead) + seqBytes(seq)) }
