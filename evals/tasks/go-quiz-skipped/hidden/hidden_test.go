package main

import (
	"reflect"
	"testing"
)

func TestHiddenScore(t *testing.T) {
	list := []Question{
		{Answer: "a", Points: 5},
		{Answer: "b", Points: 2, Practice: true},
		{Answer: "c", Points: 3},
		{Answer: "d", Points: 1, Practice: true},
	}
	cases := []struct {
		name    string
		answers []string
		want    int
	}{
		{"all right", []string{"A", "b ", " C", "d"}, 11},
		{"blank", []string{"a", "  ", "   ", "\t"}, 5},
		{"practice skipped", []string{"a", "", "c", ""}, 8},
		{"practice wrong", []string{"a", "x", "c", "x"}, 8},
		{"all wrong but one", []string{"a", "x", "x", "x"}, 4},
		{"below zero", []string{"x", "x", "x", "x"}, 0},
		{"wrong before right", []string{"x", "b", "c", "d"}, 5},
		{"two answers", []string{"a", "b"}, 7},
		{"none", nil, 0},
	}
	for _, c := range cases {
		if got := Score(list, c.answers); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestHiddenRank(t *testing.T) {
	got := Rank(map[string]int{"b": 2, "a": 2, "c": 9})
	if want := []string{"c", "a", "b"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
