package board

import (
	"reflect"
	"testing"
)

func TestRank(t *testing.T) {
	rows := Rank([]Player{{"Ann", []int{10, 20}}, {"Bob", []int{50}}, {"Cid", nil}})
	want := []Row{{1, "Bob", 50}, {2, "Ann", 30}, {3, "Cid", 0}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %v, want %v", rows, want)
	}
}

func TestSharedRank(t *testing.T) {
	rows := Rank([]Player{{"Ann", []int{70}}, {"Bob", []int{80}}, {"Cid", []int{90}}, {"Dan", []int{80}}})
	want := []Row{{1, "Cid", 90}, {2, "Bob", 80}, {2, "Dan", 80}, {4, "Ann", 70}}
	if !reflect.DeepEqual(rows, want) {
		t.Errorf("got %v, want %v", rows, want)
	}
}

func TestRender(t *testing.T) {
	got := Render([]Row{{1, "Zoë", 90}, {2, "Alan", 8}})
	want := "  1. Zoë     90\n  2. Alan     8\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
