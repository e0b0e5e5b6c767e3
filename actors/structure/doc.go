// Package structure watches the number of rows in one window's message list,
// through the accessibility tree. It knows that a message came even where
// nothing can be read. [New] makes the actor structure/WINDOW, [NewWorker] the
// worker that asks a hardware.Structure.
//
//	StructureDue ─► CountRows to the worker ─► RowsCounted ─► StructureSignal to fusion/WINDOW
//
// The actor keeps nothing in the store. After a crash the first count is what
// later ones are compared with.
package structure
