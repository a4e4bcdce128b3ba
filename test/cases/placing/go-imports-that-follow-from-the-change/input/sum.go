package sum

import (
	"errors"
	"fmt"
)

// Parse reads a number.
func Parse(text string) (int, error) {
	if text == "" {
		return 0, errors.New("empty")
	}
	n := 0
	_, err := fmt.Sscan(text, &n)
	return n, err
}
