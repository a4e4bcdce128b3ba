// Command members prints the members of a club as a table: name and number from each input line, separated by a tab.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"

	"example.com/members/text"
)

func main() {
	scanner := bufio.NewScanner(os.Stdin)
	for scanner.Scan() {
		cells := strings.SplitN(scanner.Text(), "\t", 2)
		if len(cells) < 2 {
			continue
		}
		fmt.Println(text.Row(cells, []int{24, 6}))
	}
}
