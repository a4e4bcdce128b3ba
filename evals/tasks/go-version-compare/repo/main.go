// Command updater prints the newest of the versions that it is given.
package main

import (
	"fmt"
	"os"

	"example.com/updater/version"
)

func main() {
	var versions []version.Version
	for _, text := range os.Args[1:] {
		v, err := version.Parse(text)
		if err != nil {
			fmt.Fprintln(os.Stderr, "updater:", err)
			os.Exit(1)
		}
		versions = append(versions, v)
	}
	if latest, ok := version.Latest(versions); ok {
		fmt.Println(latest)
	}
}
