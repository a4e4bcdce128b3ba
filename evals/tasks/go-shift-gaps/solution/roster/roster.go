// Package roster reads shifts such as "ann 08:00-12:30" and reckons with them. Times are minutes since midnight.
package roster

import (
	"fmt"
	"sort"
	"strings"
)

// Span is a time from Start up to, not including, End.
type Span struct {
	Start, End int
}

// Shift is the time of one person.
type Shift struct {
	Name string
	Span
}

// String writes a span as 08:00-12:30.
func (s Span) String() string {
	return fmt.Sprintf("%02d:%02d-%02d:%02d", s.Start/60, s.Start%60, s.End/60, s.End%60)
}

// Parse reads one shift for each line; empty lines are left out.
func Parse(text string) ([]Shift, error) {
	var shifts []Shift
	for i, line := range strings.Split(text, "\n") {
		if strings.TrimSpace(line) == "" {
			continue
		}
		var name string
		var h1, m1, h2, m2 int
		if _, err := fmt.Sscanf(line, "%s %d:%d-%d:%d", &name, &h1, &m1, &h2, &m2); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
		shifts = append(shifts, Shift{name, Span{h1*60 + m1, h2*60 + m2}})
	}
	return shifts, nil
}

// Gaps gives the times from open to shut at which there is no shift.
func Gaps(shifts []Shift, open, shut int) []Span {
	ordered := append([]Shift(nil), shifts...)
	sort.Slice(ordered, func(i, j int) bool { return ordered[i].Start < ordered[j].Start })
	var gaps []Span
	at := open
	for _, s := range ordered {
		if start := min(s.Start, shut); start > at {
			gaps = append(gaps, Span{at, start})
		}
		at = max(at, s.End)
	}
	if at < shut {
		gaps = append(gaps, Span{at, shut})
	}
	return gaps
}

// Minutes adds up the time of one person.
func Minutes(shifts []Shift, name string) int {
	total := 0
	for _, s := range shifts {
		if s.Name == name {
			total += s.End - s.Start
		}
	}
	return total
}
