// Package board ranks the players of a game.
package board

import "sort"

// Player is a player with the points of all rounds.
type Player struct {
	Name   string
	Rounds []int
}

// Row is a line of the leaderboard.
type Row struct {
	Rank   int
	Name   string
	Points int
}

// Points is the sum of the player's rounds.
func (p Player) Points() int {
	sum := 0
	for _, points := range p.Rounds {
		sum += points
	}
	return sum
}

// Rank returns the rows of the leaderboard, most points first.
// The players are left in their order.
func Rank(players []Player) []Row {
	rows := make([]Row, 0, len(players))
	for _, p := range players {
		rows = append(rows, Row{Name: p.Name, Points: p.Points()})
	}
	sort.SliceStable(rows, func(i, j int) bool {
		if rows[i].Points != rows[j].Points {
			return rows[i].Points > rows[j].Points
		}
		return rows[i].Name < rows[j].Name
	})
	for i := range rows {
		rows[i].Rank = i + 1
		if i > 0 && rows[i].Points == rows[i-1].Points {
			rows[i].Rank = rows[i-1].Rank
		}
	}
	return rows
}

// Find returns the row of a player.
func Find(rows []Row, name string) (Row, bool) {
	for _, row := range rows {
		if row.Name == name {
			return row, true
		}
	}
	return Row{}, false
}
