package a

import "fmt"

func F() {
	fmt.Println(1)
}
