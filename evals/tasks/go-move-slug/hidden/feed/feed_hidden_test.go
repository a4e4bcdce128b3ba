package feed

import "testing"

func TestID(t *testing.T) {
	if got := ID("One two"); got != "tag:one-two" {
		t.Error(got)
	}
}
