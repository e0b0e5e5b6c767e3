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
	keyHost     = "h/"
	keyMetaSeq  = "m/seq"
	keyMetaBoot = "m/boot"
)

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

func inboxKey(a messages.Address, seq uint64) string { return ofActor(keyInbox, a, seqBytes(seq)) }

// DeadLetterID is how people name the dead letter with a sequence number.
func deadLetterID(seq uint64) string { return "d" + strconv.FormatUint(seq, 10) }

func parseDeadLetterID(id string) (uint64, error) {
	seq, err := strconv.ParseUint(strings.TrimPrefix(id, "d"), 10, 64)
	if err != nil || !strings.HasPrefix(id, "d") {
		return 0, fmt.Errorf("engine: %q is no dead letter's id: want d and a number, as listed", id)
	}
	return seq, nil
}
