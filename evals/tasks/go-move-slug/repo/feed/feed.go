// Package feed makes entries of feeds.
package feed

import u "example.com/press/util"

// ID of an entry.
func ID(text string) string {
	return "tag:" + u.Slug(text)
}
