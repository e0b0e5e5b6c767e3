package mem

import "bytes"

// node is one key of an immutable treap: insert and remove copy the path from the root
// and share the rest, so an old root stays a complete, consistent view. The heap order
// comes from a hash of the key, so the same keys give the same tree whatever the order of
// insertion.
type node struct {
	key, value  []byte
	rank        uint64
	left, right *node
}

// rank is FNV-1a with a final mix. Unlike hash/maphash it has no seed: a
// simulation must do the same work each time it is run.
func rank(key []byte) uint64 {
	h := uint64(14695981039346656037)
	for _, b := range key {
		h = (h ^ uint64(b)) * 1099511628211
	}
	h ^= h >> 33
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}

func (n *node) find(key []byte) *node {
	for n != nil {
		switch c := bytes.Compare(key, n.key); {
		case c < 0:
			n = n.left
		case c > 0:
			n = n.right
		default:
			return n
		}
	}
	return nil
}

// with returns the tree with the node added, replacing one with the same key.
func (n *node) with(in *node) *node {
	if n == nil {
		return in
	}
	c := bytes.Compare(in.key, n.key)
	if c == 0 {
		in.left, in.right = n.left, n.right
		return in
	}
	if in.rank > n.rank {
		in.left, in.right = n.split(in.key)
		return in
	}
	copied := *n
	if c < 0 {
		copied.left = n.left.with(in)
	} else {
		copied.right = n.right.with(in)
	}
	return &copied
}

// split returns the keys below and above key, which is left out.
func (n *node) split(key []byte) (below, above *node) {
	if n == nil {
		return nil, nil
	}
	copied := *n
	switch c := bytes.Compare(key, n.key); {
	case c < 0:
		below, copied.left = n.left.split(key)
		return below, &copied
	case c > 0:
		copied.right, above = n.right.split(key)
		return &copied, above
	default:
		return n.left, n.right
	}
}

func (n *node) without(key []byte) *node {
	if n.find(key) == nil {
		return n
	}
	return n.cut(key)
}

// cut removes an existing key.
func (n *node) cut(key []byte) *node {
	c := bytes.Compare(key, n.key)
	if c == 0 {
		return join(n.left, n.right)
	}
	copied := *n
	if c < 0 {
		copied.left = n.left.cut(key)
	} else {
		copied.right = n.right.cut(key)
	}
	return &copied
}

// join joins two trees whose keys do not overlap.
func join(below, above *node) *node {
	switch {
	case below == nil:
		return above
	case above == nil:
		return below
	case below.rank > above.rank:
		copied := *below
		copied.right = join(below.right, above)
		return &copied
	default:
		copied := *above
		copied.left = join(below, above.left)
		return &copied
	}
}

// ascend yields the keys ≥ from in order. It reports whether yield wants more.
func (n *node) ascend(from []byte, yield func(*node) bool) bool {
	if n == nil {
		return true
	}
	if bytes.Compare(n.key, from) < 0 {
		return n.right.ascend(from, yield)
	}
	return n.left.ascend(from, yield) && yield(n) && n.right.ascend(from, yield)
}
