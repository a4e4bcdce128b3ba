package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/plan/roster"
)

func TestHiddenGaps(t *testing.T) {
	for text, want := range map[string]string{
		"":              "[08:00-18:00]",
		"a 08:00-18:00": "[]",
		"a 06:00-20:00": "[]",
		"a 09:00-12:00\nb 10:00-11:00\nc 12:00-13:00": "[08:00-09:00 13:00-18:00]",
		"a 05:00-07:00\nb 19:00-20:00":                "[08:00-18:00]",
		"b 17:00-19:00\na 07:00-09:00":                "[09:00-17:00]",
		"a 08:00-17:59":                               "[17:59-18:00]",
	} {
		shifts, err := roster.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		before := fmt.Sprint(shifts)
		if got := fmt.Sprint(roster.Gaps(shifts, 480, 1080)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
		if fmt.Sprint(shifts) != before {
			t.Errorf("%q: the shifts were changed", text)
		}
	}
	if got := fmt.Sprint(roster.Gaps(nil, 60, 120)); got != "[01:00-02:00]" {
		t.Errorf("other hours: %s", got)
	}
}

func TestHiddenCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r")
	if err := os.WriteFile(path, []byte("a 08:00-18:00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"gaps " + path, 0, "no gaps\n"},
		{"minutes " + path + " a", 0, "600\n"},
	} {
		var out strings.Builder
		if status := run(strings.Fields(c.args), &out); status != c.status || out.String() != c.want {
			t.Errorf("%s: %d %q", c.args, status, out.String())
		}
	}
	var out strings.Builder
	if status := run(nil, &out); status != 2 || !strings.Contains(out.String(), "plan gaps FILE") || !strings.Contains(out.String(), "plan minutes FILE NAME") {
		t.Errorf("usage: %d %q", status, out.String())
	}
}
