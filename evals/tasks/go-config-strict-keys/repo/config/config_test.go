package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func load(t *testing.T, text string) (Config, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "c.json")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestProduction(t *testing.T) {
	c, err := Load("../conf/production.json")
	if err != nil || c.TimeoutSeconds != 45 {
		t.Errorf("production: %+v, %v", c, err)
	}
}

func TestUnknownKey(t *testing.T) {
	if _, err := load(t, `{"colour": "red"}`); err == nil || !strings.Contains(err.Error(), "colour") {
		t.Errorf("unknown key: %v", err)
	}
}

func TestDefaults(t *testing.T) {
	c, err := load(t, `{"listen": ":1"}`)
	if err != nil || c.Listen != ":1" || c.TimeoutSeconds != 30 || len(c.Upstreams) != 1 {
		t.Errorf("defaults: %+v, %v", c, err)
	}
}
