package keyring

import "encoding/binary"

// excludedBy is its value, the string com.apple.backupd as a binary property list.
func excludedBy() []byte {
	const name = "com.apple.backupd"
	list := append([]byte("bplist00_\x10"), byte(len(name))) // ASCII, its length in one byte
	list = append(list, name...)
	offsets := len(list)
	list = append(list, byte(len("bplist00")))    // where the only object stands
	list = append(list, 0, 0, 0, 0, 0, 0, 1, 1)   // sizes of an offset and of a reference
	list = binary.BigEndian.AppendUint64(list, 1) // objects
	list = binary.BigEndian.AppendUint64(list, 0) // the first one
	return binary.BigEndian.AppendUint64(list, uint64(offsets))
}

// ExcludedFromTimeMachine reports whether Time Machine copies no keys of a directory; true on systems
// that have none. A key that is copied there is not gone once it was destroyed here.
func ExcludedFromTimeMachine(dir string) bool { return excluded(dir) }

// exclude keeps the directory out of the system's backups, before the first key is in it. Not every
// volume can: then kehai doctor tells.
func (d *directory) exclude() {
	if d.leaveOut != nil {
		d.leaveOut(d.path)
		return
	}
	leaveOut(d.path)
}
