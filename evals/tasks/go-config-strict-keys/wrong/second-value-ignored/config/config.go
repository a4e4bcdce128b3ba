// Package config reads the configuration of the relay.
package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// Config is what an operator may set.
type Config struct {
	Listen         string   `json:"listen"`
	TimeoutSeconds int      `json:"timeout_seconds"`
	Upstreams      []string `json:"upstreams"`
}

// Default is used for all that a file leaves out.
func Default() Config {
	return Config{Listen: ":8080", TimeoutSeconds: 30, Upstreams: []string{"localhost:9000"}}
}

// Load reads a file.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("config: %w", err)
	}
	config := Default()
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&config); err != nil {
		return Config{}, fmt.Errorf("config %s: %w", path, err)
	}
	return config, nil
}
