package sum

import (
	"fmt"
	"strings"
)

// Parse reads a number.
func Parse(text string) (int, error) {
	n := 0
	_, err := fmt.Sscan(strings.TrimSpace(text), &n)
	return n, err
}
