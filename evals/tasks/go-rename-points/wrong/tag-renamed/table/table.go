// Package table shows players.
package table

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	"example.com/quiz/game"
)

// Columns are fields of a player.
var Columns = []string{"Name", "Points"}

// Show players, the best first.
func Show(players []game.Player) string {
	sorted := append([]game.Player(nil), players...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].Points > sorted[j].Points })
	var out strings.Builder
	for _, player := range sorted {
		for i, column := range Columns {
			if i > 0 {
				out.WriteString(": ")
			}
			fmt.Fprint(&out, reflect.ValueOf(player).FieldByName(column))
		}
		out.WriteString("\n")
	}
	return out.String()
}
