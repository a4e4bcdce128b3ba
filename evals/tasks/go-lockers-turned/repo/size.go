package main

import (
	"fmt"
	"strconv"
	"strings"
)

// Size holds the edges of a parcel or a locker in centimetres.
type Size struct {
	W, H, D int
}

// Volume returns the volume in cubic centimetres.
func (s Size) Volume() int {
	return s.W * s.H * s.D
}

func (s Size) String() string {
	return fmt.Sprintf("%dx%dx%d", s.W, s.H, s.D)
}

// ParseSize reads a size like 30x60x20.
func ParseSize(text string) (Size, error) {
	var edges [3]int
	parts := strings.Split(text, "x")
	if len(parts) != 3 {
		return Size{}, fmt.Errorf("not a size: %q", text)
	}
	for i, part := range parts {
		edge, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || edge <= 0 {
			return Size{}, fmt.Errorf("not a size: %q", text)
		}
		edges[i] = edge
	}
	return Size{edges[0], edges[1], edges[2]}, nil
}
