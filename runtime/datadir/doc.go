// Package datadir opens what is in a data directory: the store ([OpenStore]), the keys
// that seal it ([OpenKeys]), the record of what is in progress in case the process dies
// ([OpenHands]), the saved index of the memory ([SavedIndex]) and the debugging files
// ([DebugFiles]). It also says where face trackers connect ([FeedSocket]).
package datadir
