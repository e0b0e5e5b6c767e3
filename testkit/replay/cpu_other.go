//go:build !unix

package replay

import "time"

// cpuTime stands for the processor time of this process where it cannot be
// asked: a replay does nothing but compute.
func cpuTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
