// Package version reads and compares release versions such as v1.4.12.
package version

import (
	"fmt"
	"strconv"
	"strings"
)

// Version is a release version.
type Version struct {
	Parts []string
}

// Parse reads a version; a leading v is allowed. One to four numbers.
func Parse(text string) (Version, error) {
	parts := strings.Split(strings.TrimPrefix(text, "v"), ".")
	if len(parts) > 4 {
		return Version{}, fmt.Errorf("version %q: more than four parts", text)
	}
	for _, part := range parts {
		if n, err := strconv.Atoi(part); err != nil || n < 0 {
			return Version{}, fmt.Errorf("version %q: %q is no number", text, part)
		}
	}
	return Version{Parts: parts}, nil
}

// String writes the version without a leading v.
func (v Version) String() string {
	return strings.Join(v.Parts, ".")
}

// Compare gives -1, 0 or 1 when a is older than, equal to or newer than b.
func Compare(a, b Version) int {
	for i := 0; i < len(a.Parts) || i < len(b.Parts); i++ {
		x, y := a.part(i), b.part(i)
		if x < y {
			return -1
		}
		if x > y {
			return 1
		}
	}
	return 0
}

// part is the number at a place; 0 where the version has none.
func (v Version) part(i int) int {
	if i >= len(v.Parts) {
		return 0
	}
	n, _ := strconv.Atoi(v.Parts[i])
	return n
}

// Latest gives the newest of the versions, and false when there are none.
func Latest(versions []Version) (Version, bool) {
	if len(versions) == 0 {
		return Version{}, false
	}
	latest := versions[0]
	for _, v := range versions[1:] {
		if Compare(v, latest) > 0 {
			latest = v
		}
	}
	return latest, true
}
