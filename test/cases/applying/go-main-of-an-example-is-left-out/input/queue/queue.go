package queue

import (
	"errors"
)

// ErrEmpty says that there is nothing.
var ErrEmpty = errors.New("empty")

// Queue is first in, first out.
type Queue struct {
	items []int
}

// Push adds.
func (q *Queue) Push(item int) {
	q.items = append(q.items, item)
}

// Pop takes the first one.
func (q *Queue) Pop() (int, error) {
	item := q.items[0]
	return item, nil
}

func max(a, b int) int {
	if a < b {
		return a
	}
	return b
}
