// Package text lays out short texts for tables on a terminal.
package text

import "strings"

const ellipsis = "…"

// Truncate shortens s to at most width characters; a shortened text ends in an ellipsis, which counts.
func Truncate(s string, width int) string {
	if width <= 0 {
		return ""
	}
	runes := []rune(s)
	if len(runes) <= width {
		return s
	}
	return string(runes[:width-1]) + ellipsis
}

// Pad makes s exactly width characters wide: spaces are put behind it, or it is truncated.
func Pad(s string, width int) string {
	s = Truncate(s, width)
	if missing := width - len(s); missing > 0 {
		s += strings.Repeat(" ", missing)
	}
	return s
}

// Row joins cells, each padded to the width of its column.
func Row(cells []string, widths []int) string {
	padded := make([]string, 0, len(cells))
	for i, cell := range cells {
		padded = append(padded, Pad(cell, widths[i]))
	}
	return strings.TrimRight(strings.Join(padded, "  "), " ")
}
