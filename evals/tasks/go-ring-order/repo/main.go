// Command lastlines prints the last lines of its input.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"

	"example.com/lastlines/ring"
)

func main() {
	count := flag.Int("n", 10, "how many lines")
	flag.Parse()
	last := ring.New(*count)
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		last.Add(scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "lastlines:", err)
		os.Exit(1)
	}
	for _, line := range last.Items() {
		fmt.Println(line)
	}
}
