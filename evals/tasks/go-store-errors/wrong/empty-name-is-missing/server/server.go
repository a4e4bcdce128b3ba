// Package server answers requests for items.
package server

import (
	"fmt"
	"strings"

	"example.com/shelf/store"
)

// Answer gives the status and the text for a path such as /items/a1.
func Answer(s *store.Store, path string) (int, string) {
	id, found := strings.CutPrefix(path, "/items/")
	if !found || id == "" {
		return 400, "no such path"
	}
	item, err := s.Get(id)
	if err != nil {
		return 404, err.Error()
	}
	return 200, fmt.Sprintf("%s: %d", item.Name, item.Count)
}
