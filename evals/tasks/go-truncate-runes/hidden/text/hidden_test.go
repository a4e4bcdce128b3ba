package text

import "testing"

func TestHiddenTruncate(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"äöü", 3, "äöü"},
		{"äöü", 2, "ä…"},
		{"äöü", 1, "…"},
		{"äöü", 0, ""},
		{"äöü", -4, ""},
		{"日本語テキスト", 5, "日本語テ…"},
		{"", 4, ""},
		{"abc", 1, "…"},
		{"abcd", 3, "ab…"},
	} {
		if got := Truncate(c.text, c.width); got != c.want {
			t.Errorf("Truncate(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestHiddenPad(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{
		{"ßß", 4, "ßß  "},
		{"né", 4, "né  "},
		{"日本語", 3, "日本語"},
		{"Käsekuchen", 6, "Käsek…"},
		{"abc", 3, "abc"},
		{"abcdef", 3, "ab…"},
		{"", 2, "  "},
	} {
		if got := Pad(c.text, c.width); got != c.want {
			t.Errorf("Pad(%q, %d) = %q, want %q", c.text, c.width, got, c.want)
		}
	}
	if got, want := Row([]string{"Ærøskøbing by", "é"}, []int{8, 2}), "Ærøskøb…  é"; got != want {
		t.Errorf("Row = %q, want %q", got, want)
	}
}
