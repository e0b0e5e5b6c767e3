//go:build !unix

package replay

import "time"

// cpuTime substitutes for the processor time of this process where the system does not
// report it: a replay only computes.
func cpuTime() time.Duration { return time.Duration(time.Now().UnixNano()) }
