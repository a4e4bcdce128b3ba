// Package report prints lists of items.
package report

import (
	"fmt"
	"strings"

	"example.com/shelf/store"
)

// Lines gives a line for each of the ids, in their order.
func Lines(s *store.Store, ids []string) string {
	var b strings.Builder
	for _, id := range ids {
		item, _ := s.Get(id)
		fmt.Fprintf(&b, "%s x%d\n", item.Name, item.Count)
	}
	return b.String()
}

// Total adds up the counts of the ids.
func Total(s *store.Store, ids []string) int {
	total := 0
	for _, id := range ids {
		item, _ := s.Get(id)
		total += item.Count
	}
	return total
}
