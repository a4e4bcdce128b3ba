// Package feed makes entries of feeds.
package feed

import "example.com/press/text"

// ID of an entry.
func ID(title string) string {
	return "tag:" + text.Slug(title)
}
