// Package datadir opens what lies in a data directory: the store ([OpenStore]), the keys
// that seal it ([OpenKeys]), and the file that remembers what the process may die with
// ([OpenHands]), and the saved index of the memory ([SavedIndex]); and it says where face
// trackers connect ([FeedSocket]).
package datadir
