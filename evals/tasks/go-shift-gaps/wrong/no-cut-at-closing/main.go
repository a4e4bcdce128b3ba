// Command plan answers questions about a roster.
package main

import (
	"fmt"
	"io"
	"os"

	"example.com/plan/roster"
)

const usage = "usage: plan minutes FILE NAME\n"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout))
}

// run does a command and gives the exit status.
func run(args []string, out io.Writer) int {
	if len(args) < 2 {
		fmt.Fprint(out, usage)
		return 2
	}
	data, err := os.ReadFile(args[1])
	if err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	shifts, err := roster.Parse(string(data))
	if err != nil {
		fmt.Fprintln(out, err)
		return 1
	}
	switch {
	case args[0] == "minutes" && len(args) == 3:
		fmt.Fprintln(out, roster.Minutes(shifts, args[2]))
	case args[0] == "gaps" && len(args) == 2:
		for _, gap := range roster.Gaps(shifts, 480, 1080) {
			fmt.Fprintln(out, gap)
		}
	default:
		fmt.Fprint(out, usage)
		return 2
	}
	return 0
}
