package server

import (
	"errors"
	"testing"

	"example.com/shelf/store"
)

func TestAnswer(t *testing.T) {
	s := store.New(store.Item{ID: "a1", Name: "bolt", Count: 3})
	if status, text := Answer(s, "/items/a1"); status != 200 || text != "bolt: 3" {
		t.Errorf("got %d %q", status, text)
	}
	if status, _ := Answer(s, "/items/b2"); status != 404 {
		t.Errorf("missing item: got %d, want 404", status)
	}
	if _, err := s.Get("b2"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Get: %v", err)
	}
}
