package config

import (
	"strings"
	"testing"
)

func TestHiddenFiles(t *testing.T) {
	c, err := Load("../conf/production.json")
	if err != nil || c.Listen != ":8443" || c.TimeoutSeconds != 45 || len(c.Upstreams) != 2 {
		t.Errorf("production: %+v, %v", c, err)
	}
	c, err = Load("../conf/development.json")
	if err != nil || c.TimeoutSeconds != 5 || c.Upstreams[0] != "localhost:9000" {
		t.Errorf("development: %+v, %v", c, err)
	}
}

func TestHiddenRefusals(t *testing.T) {
	for text, want := range map[string]string{
		`{"timeout": 5}`:                   "timeout",
		`{"listen": ":1", "upstream": []}`: "upstream",
		`{"listen": 5}`:                    "listen",
		`{"listen": ":1"`:                  "c.json",
		`{"listen": ":1"} {"listen": ""}`:  "c.json",
	} {
		if _, err := load(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if c, err := load(t, `{}`); err != nil || c.TimeoutSeconds != 30 {
		t.Errorf("empty object: %+v, %v", c, err)
	}
	if _, err := Load("none.json"); err == nil {
		t.Error("a missing file is an error")
	}
}
