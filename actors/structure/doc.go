// Package structure watches the number of rows in one window's message list
// through the accessibility tree. So a new message is noticed even if it cannot
// be read. [New] makes the actor structure/WINDOW, and [NewWorker] the worker
// that asks a hardware.Structure.
//
//	StructureDue ─► CountRows to the worker ─► RowsCounted ─► StructureSignal to fusion/WINDOW
//
// The actor stores nothing. After a crash, later counts are compared with the
// first one.
package structure
