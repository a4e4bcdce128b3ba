package a

import "fmt"
import "gopkg.in/yaml.v3"

func F() {
	fmt.Println(yaml.Marshal(1))
}
