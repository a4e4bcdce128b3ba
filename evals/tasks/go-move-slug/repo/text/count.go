// Package text works on texts.
package text

import "strings"

// Words counts the words of a text.
func Words(s string) int {
	return len(strings.Fields(s))
}
