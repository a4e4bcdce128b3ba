package main

import (
	"fmt"
	"os"
)

func main() {
	lockers := []Locker{
		{ID: "A1", Size: Size{60, 40, 30}},
		{ID: "A2", Size: Size{40, 40, 15}},
		{ID: "B1", Size: Size{100, 50, 50}},
	}
	for _, text := range os.Args[1:] {
		size, err := ParseSize(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		id, err := Assign(lockers, text, size)
		if err != nil {
			fmt.Printf("%s: %v\n", size, err)
			continue
		}
		fmt.Printf("%s: %s\n", size, id)
	}
}
