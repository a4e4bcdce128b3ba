// Package ring keeps the last entries of a stream.
package ring

// Ring holds at most a fixed number of entries; a new one replaces the oldest.
type Ring struct {
	entries []string
	next    int
	full    bool
}

// New makes a ring for size entries. A size below one counts as one.
func New(size int) *Ring {
	if size < 1 {
		size = 1
	}
	return &Ring{entries: make([]string, size)}
}

// Add puts an entry into the ring.
func (r *Ring) Add(entry string) {
	r.entries[r.next] = entry
	r.next++
	if r.next == len(r.entries) {
		r.next = 0
		r.full = true
	}
}

// Len is the number of entries held.
func (r *Ring) Len() int {
	if r.full {
		return len(r.entries)
	}
	return r.next
}

// Items gives a copy of the entries, oldest first.
func (r *Ring) Items() []string {
	items := make([]string, 0, r.Len())
	if r.full {
		items = append(items, r.entries[r.next:]...)
	}
	return append(items, r.entries[:r.next]...)
}

// Last gives the newest entry, and false when there is none.
func (r *Ring) Last() (string, bool) {
	if r.Len() == 0 {
		return "", false
	}
	at := (r.next - 1 + len(r.entries)) % len(r.entries)
	return r.entries[at], true
}
