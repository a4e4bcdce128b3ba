package main

import "testing"

var questions = []Question{
	{Text: "Warm up: 1 + 1?", Answer: "2", Points: 1, Practice: true},
	{Text: "Capital of Norway?", Answer: "Oslo", Points: 3},
	{Text: "Longest river?", Answer: "Nile", Points: 2},
}

func TestScore(t *testing.T) {
	cases := []struct {
		name    string
		answers []string
		want    int
	}{
		{"all right", []string{"2", " oslo ", "NILE"}, 6},
		{"one skipped", []string{"2", "Oslo", ""}, 4},
		{"one wrong", []string{"2", "Oslo", "Rhine"}, 3},
		{"practice wrong", []string{"3", "Oslo", "Nile"}, 5},
	}
	for _, c := range cases {
		if got := Score(questions, c.answers); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}
