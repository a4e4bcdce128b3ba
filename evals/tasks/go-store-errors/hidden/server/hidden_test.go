package server

import (
	"errors"
	"strings"
	"testing"

	"example.com/shelf/report"
	"example.com/shelf/store"
)

func TestHidden(t *testing.T) {
	s := store.New(store.Item{ID: "a", Name: "bolt", Count: 3}, store.Item{ID: "z"})
	_, err := s.Get("nope-17")
	if !errors.Is(err, store.ErrNotFound) || !strings.Contains(err.Error(), "nope-17") {
		t.Errorf("Get must name the id: %v", err)
	}
	if item, err := s.Get("z"); err != nil || item.ID != "z" {
		t.Errorf("an item without name and count is there: %v", err)
	}
	if status, _ := Answer(s, "/items/z"); status != 200 {
		t.Errorf("empty item: %d", status)
	}
	if status, _ := Answer(s, "/items/nope"); status != 404 {
		t.Errorf("missing item: %d", status)
	}
	if status, _ := Answer(s, "/items/"); status != 400 {
		t.Errorf("bad path: %d", status)
	}
	if got := report.Lines(s, []string{"z", "nope", "a"}); got != " x0\nbolt x3\n" {
		t.Errorf("Lines = %q", got)
	}
	if got := report.Total(s, []string{"nope", "a", "a"}); got != 6 {
		t.Errorf("Total = %d", got)
	}
}
