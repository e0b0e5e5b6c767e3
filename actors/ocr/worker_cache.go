package ocr

import (
	"container/list"
	"slices"
	"sync"

	"github.com/kehai-run/kehai/actors/ocr/segment"
	"github.com/kehai-run/kehai/messages"
)

// cacheKey separates plain rectangles from bubbles, one line from several, and
// captures of different scales, as each is prepared or read differently.
type cacheKey struct {
	pixels messages.PixelKey
	plain  bool
	block  bool
	cut    bool // without a clock time inside
	factor float64
}

// reading is what was recognised in some pixels. The boxes of its lines are
// relative to the shape's own box.
type reading struct {
	lines  []messages.Line
	beside []messages.Line // read without the icon at the left; nil if there is none
	tries  int             // readings that found nothing
}

// nothing reports whether nothing was read.
func (r reading) nothing() bool { return len(r.lines)+len(r.beside) == 0 }

// emptyTries is how often pixels without a result are read: an engine may fail
// without an error.
const emptyTries = 3

// Cache keeps readings by their pixels, up to a bound; the least recently used one
// goes first. An empty reading counts only from the third on. Workers may share a
// cache; it is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	max   int
	order *list.List // of cacheEntry, newest first
	byKey map[cacheKey]*list.Element
	looks map[messages.WindowID]messages.Learnt // what is known of windows, at most maxLooks
	rows  map[messages.WindowID][]learntSides   // likewise; of each header, the latest first
}

// maxLooks is how many windows are remembered at most, maxHeaders how many headers of one.
const (
	maxLooks   = 64
	maxHeaders = 32
)

type cacheEntry struct {
	key   cacheKey
	value reading
}

// NewCache makes a cache of at most limit readings, at least one.
func NewCache(limit int) *Cache {
	return &Cache{max: max(limit, 1), order: list.New(), byKey: map[cacheKey]*list.Element{},
		looks: map[messages.WindowID]messages.Learnt{}, rows: map[messages.WindowID][]learntSides{}}
}

// known is what a request knows of its window, or, if that is nothing, what the last
// request knew.
func (c *Cache) known(window messages.WindowID, learnt messages.Learnt) messages.Learnt {
	c.mu.Lock()
	defer c.mu.Unlock()
	if learnt.Empty() {
		return c.looks[window]
	}
	if _, ok := c.looks[window]; ok || len(c.looks) < maxLooks {
		c.looks[window] = learnt
	}
	return learnt
}

// rowsOf are the rows whose side is known in a window beneath a header, or else beneath the last one.
func (c *Cache) rowsOf(window messages.WindowID, header messages.PixelKey) learntSides {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := c.rows[window]
	for _, known := range list {
		if known.header == header {
			known.same = true
			return known
		}
	}
	if len(list) == 0 {
		return learntSides{}
	}
	return list[0]
}

// columnOf is where the rows of a window stood last; known is what is known without the cache.
func (c *Cache) columnOf(window messages.WindowID, known messages.RowColumn) segment.RowColumn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if list := c.rows[window]; len(list) > 0 {
		return list[0].column
	}
	return segment.RowColumn{RowColumn: known}
}

// keepRows puts what is known beneath a header in the place of what was.
func (c *Cache) keepRows(window messages.WindowID, known learntSides) {
	c.mu.Lock()
	defer c.mu.Unlock()
	list, ok := c.rows[window]
	if !ok && len(c.rows) >= maxLooks {
		return
	}
	list = slices.DeleteFunc(list, func(k learntSides) bool { return k.header == known.header })
	list = slices.Insert(list, 0, known)
	c.rows[window] = list[:min(len(list), maxHeaders)]
}

// Clear forgets all readings, and what is known of windows.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.byKey)
	clear(c.looks)
	clear(c.rows)
}

// Reread drops the readings alone: what windows show is read once more, with all that was learnt of them.
func (c *Cache) Reread() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.order.Init()
	clear(c.byKey)
}

func (c *Cache) lookup(k cacheKey) (reading, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[k]
	if !ok {
		return reading{}, false
	}
	c.order.MoveToFront(e)
	v := e.Value.(cacheEntry).value
	return v, !v.nothing() || v.tries >= emptyTries
}

func (c *Cache) store(k cacheKey, v reading) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[k]
	if v.nothing() {
		v.tries = 1
		if ok {
			v.tries += e.Value.(cacheEntry).value.tries
		}
	}
	if ok {
		e.Value = cacheEntry{k, v}
		c.order.MoveToFront(e)
		return
	}
	c.byKey[k] = c.order.PushFront(cacheEntry{k, v})
	if c.order.Len() > c.max {
		oldest := c.order.Back()
		delete(c.byKey, oldest.Value.(cacheEntry).key)
		c.order.Remove(oldest)
	}
}
