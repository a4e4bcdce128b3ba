// Package store keeps items in memory.
package store

import (
	"errors"
	"fmt"
	"sort"
)

// ErrNotFound says that no item has the id.
var ErrNotFound = errors.New("item not found")

// Item is a thing on the shelf.
type Item struct {
	ID    string
	Name  string
	Count int
}

// Store holds items by their id.
type Store struct {
	items map[string]Item
}

// New makes a store with items.
func New(items ...Item) *Store {
	s := &Store{items: map[string]Item{}}
	for _, item := range items {
		s.Put(item)
	}
	return s
}

// Put adds or replaces an item.
func (s *Store) Put(item Item) {
	s.items[item.ID] = item
}

// Get gives an item, or ErrNotFound.
func (s *Store) Get(id string) (Item, error) {
	item, ok := s.items[id]
	if !ok {
		return Item{}, fmt.Errorf("%w: %s", ErrNotFound, id)
	}
	return item, nil
}

// IDs gives all ids in order.
func (s *Store) IDs() []string {
	ids := make([]string, 0, len(s.items))
	for id := range s.items {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	return ids
}
