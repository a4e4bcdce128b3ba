package board

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Render prints the rows as a table: rank, name, points.
func Render(rows []Row) string {
	width := 0
	for _, row := range rows {
		if n := utf8.RuneCountInString(row.Name); n > width {
			width = n
		}
	}
	var out strings.Builder
	for _, row := range rows {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(row.Name))
		fmt.Fprintf(&out, "%3d. %s%s %5d\n", row.Rank, row.Name, pad, row.Points)
	}
	return out.String()
}

// Podium returns the names of the players with the ranks 1 to 3.
func Podium(rows []Row) []string {
	var names []string
	for _, row := range rows {
		if row.Rank <= 3 {
			names = append(names, row.Name)
		}
	}
	return names
}
