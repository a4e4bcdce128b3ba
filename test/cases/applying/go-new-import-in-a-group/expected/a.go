package a

import (
	"fmt"
	"strings"
)

func Hello() {
	fmt.Println(strings.ToUpper("x"))
}
