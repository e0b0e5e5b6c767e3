// Package keyboard gives the one keyboard and mouse of a desk to one window at a time:
// to what types there, or to what scrolls there.
// [New] makes the actor keyboard/NODE; who may have it next is decided by
// [Lease], which is pure.
//
//	| from  | on                        | to    | what is done                              |
//	|-------|---------------------------|-------|-------------------------------------------|
//	| free  | ask of W                  | W     | given to W                                |
//	| W     | ask of W                  | W     | given to W anew                           |
//	| W     | ask of V                  | W     | V waits behind those who wait already     |
//	| W     | leave of W, or its time is over | next | given to the first who waits; else free |
//	| W     | leave of V                | W     | V waits no longer                         |
//
// A window keeps it for [Hold] at most, so a broken sender blocks the others only
// for a while. A crash loses nothing: the holder and the waiting windows are stored
// in the table "lease", in its one row "lease".
package keyboard
