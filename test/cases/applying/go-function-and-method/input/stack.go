package stack

import "errors"

// Stack holds items.
type Stack struct {
	items []int
}

// Push adds.
func (s *Stack) Push(x int) {
	s.items = append([]int{x}, s.items...)
}

func (s *Stack) Pop() (int, error) {
	return 0, errors.New("empty")
}
