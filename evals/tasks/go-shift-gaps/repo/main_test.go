package main

import (
	"strings"
	"testing"
)

func TestMinutes(t *testing.T) {
	var out strings.Builder
	if status := run([]string{"minutes", "testdata/day.txt", "ann"}, &out); status != 0 || out.String() != "210\n" {
		t.Errorf("got %d %q", status, out.String())
	}
}

func TestGaps(t *testing.T) {
	var out strings.Builder
	if status := run([]string{"gaps", "testdata/day.txt"}, &out); status != 0 || out.String() != "10:30-12:00\n17:00-18:00\n" {
		t.Errorf("got %d %q", status, out.String())
	}
}
