package text

import "testing"

func TestTruncate(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"Anna", 10, "Anna"},
		{"Anna Smith", 6, "Anna …"},
		{"Jürgen Müßig", 12, "Jürgen Müßig"},
		{"Jürgen", 3, "Jü…"},
	} {
		if got := Truncate(c.text, c.width); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestRow(t *testing.T) {
	if got, want := Row([]string{"Anna", "12"}, []int{6, 3}), "Anna    12"; got != want {
		t.Errorf("Row = %q, want %q", got, want)
	}
	if got, want := Row([]string{"Jörg", "12"}, []int{6, 3}), "Jörg    12"; got != want {
		t.Errorf("Row = %q, want %q", got, want)
	}
}
