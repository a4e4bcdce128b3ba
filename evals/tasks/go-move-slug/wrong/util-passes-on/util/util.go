// Package util has this and that.
package util

import "example.com/press/text"

// Slug is in text now.
var Slug = text.Slug
