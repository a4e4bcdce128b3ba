// Package page makes addresses of pages.
package page

import (
	"fmt"

	"example.com/press/text"
	"example.com/press/util"
)

// Address tells where a page is, and how long it is.
func Address(title, body string) string {
	return fmt.Sprintf("/%s (%d)", util.Slug(title), text.Words(body))
}
