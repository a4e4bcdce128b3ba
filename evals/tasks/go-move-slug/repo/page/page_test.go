package page

import "testing"

func TestAddress(t *testing.T) {
	if got := Address("Hello, World!", "a b c"); got != "/hello-world (3)" {
		t.Error(got)
	}
}
