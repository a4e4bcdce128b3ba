// Package game keeps players and what they have.
package game

import "encoding/json"

// Player of a quiz.
type Player struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
}

// AddPoints gives points; a player never has less than none.
func (p *Player) AddPoints(points int) {
	p.Points = max(0, p.Points+points)
}

// Load reads players.
func Load(data []byte) ([]Player, error) {
	var players []Player
	err := json.Unmarshal(data, &players)
	return players, err
}

// Save writes them.
func Save(players []Player) ([]byte, error) {
	return json.Marshal(players)
}
