package version

import "testing"

func TestHiddenCompare(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"1.2", "1.2.1", -1},
		{"1.2.0.1", "1.2", 1},
		{"1", "1.0.0.0", 0},
		{"10", "9.99.99", 1},
		{"1.02", "1.2", 0},
		{"1.100", "1.20", 1},
		{"0.9", "0.10", -1},
	} {
		if got := Compare(parse(t, c.a), parse(t, c.b)); got != c.want {
			t.Errorf("Compare(%s, %s) = %d, want %d", c.a, c.b, got, c.want)
		}
		if got := Compare(parse(t, c.b), parse(t, c.a)); got != -c.want {
			t.Errorf("Compare(%s, %s) = %d, want %d", c.b, c.a, got, -c.want)
		}
	}
}

func TestHiddenLatest(t *testing.T) {
	got, ok := Latest([]Version{parse(t, "1.9"), parse(t, "v1.10"), parse(t, "1.2.30")})
	if !ok || got.String() != "1.10" {
		t.Errorf("Latest = %s", got)
	}
	if _, ok := Latest(nil); ok {
		t.Error("no versions, no latest")
	}
}
