// Package feed makes entries of feeds.
package feed

import "example.com/press/text"

// ID of an entry.
func ID(text string) string {
	return "tag:" + text.Slug(text)
}
