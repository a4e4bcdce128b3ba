package a

import (
	"fmt"
)

func Hello() {
	fmt.Println("x")
}
