// Package page makes addresses of pages.
package page

import (
	"fmt"

	"example.com/press/text"
)

// Address tells where a page is, and how long it is.
func Address(title, body string) string {
	return fmt.Sprintf("/%s (%d)", text.Slug(title), text.Words(body))
}
