package text

import (
	"os"
	"strings"
	"testing"
)

func TestPlaces(t *testing.T) {
	if files, _ := os.ReadDir("../util"); len(files) > 0 {
		t.Error("util is still there")
	}
	if _, err := os.Stat("slug.go"); err != nil {
		t.Error(err)
	}
	for _, path := range []string{"slug.go", "count.go", "../page/page.go", "../feed/feed.go"} {
		source, _ := os.ReadFile(path)
		if strings.Contains(string(source), "press/util") || strings.Contains(string(source), "Reverse") {
			t.Error(path)
		}
	}
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{"Hello, World!": "hello-world", "": "", " 7 -- x ": "7-x"} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q", title, got)
		}
	}
}
