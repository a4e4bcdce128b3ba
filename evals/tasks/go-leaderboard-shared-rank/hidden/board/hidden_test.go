package board

import (
	"reflect"
	"testing"
)

func one(name string, points int) Player { return Player{name, []int{points}} }

func TestHiddenRanks(t *testing.T) {
	for _, c := range []struct {
		players []Player
		want    []Row
	}{
		{nil, []Row{}},
		{[]Player{one("A", 0)}, []Row{{1, "A", 0}}},
		{[]Player{one("D", 5), one("C", 5), one("B", 5)}, []Row{{1, "B", 5}, {1, "C", 5}, {1, "D", 5}}},
		{
			[]Player{one("F", 60), one("E", 80), one("D", 80), one("C", 90), one("B", 60), one("A", 80), one("G", 10)},
			[]Row{{1, "C", 90}, {2, "A", 80}, {2, "D", 80}, {2, "E", 80}, {5, "B", 60}, {5, "F", 60}, {7, "G", 10}},
		},
		{
			[]Player{one("B", 9), one("A", 9), one("C", 3), one("D", 2), one("E", -1), one("F", -1)},
			[]Row{{1, "A", 9}, {1, "B", 9}, {3, "C", 3}, {4, "D", 2}, {5, "E", -1}, {5, "F", -1}},
		},
		{[]Player{{"B", []int{1, 2}}, {"A", []int{3}}}, []Row{{1, "A", 3}, {1, "B", 3}}},
	} {
		got := Rank(c.players)
		if len(got) == 0 && len(c.want) == 0 {
			continue
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
}

func TestHiddenStays(t *testing.T) {
	players := []Player{one("B", 1), one("A", 1), one("C", 2)}
	rows := Rank(players)
	if players[0].Name != "B" || players[1].Name != "A" || players[2].Name != "C" {
		t.Errorf("players were moved: %v", players)
	}
	if row, ok := Find(rows, "B"); !ok || row.Rank != 2 {
		t.Errorf("got %v", row)
	}
	if got := Podium(Rank([]Player{one("A", 4), one("B", 3), one("C", 3), one("D", 2)})); !reflect.DeepEqual(got, []string{"A", "B", "C"}) {
		t.Errorf("got %v", got)
	}
	if got := Render(rows); got != "  1. C     2\n  2. A     1\n  2. B     1\n" {
		t.Errorf("got %q", got)
	}
}
