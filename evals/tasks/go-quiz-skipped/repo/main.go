package main

import "fmt"

func main() {
	questions := []Question{
		{Text: "Warm up: 1 + 1?", Answer: "2", Points: 1, Practice: true},
		{Text: "Capital of Norway?", Answer: "Oslo", Points: 3},
	}
	scores := map[string]int{
		"Owls":  Score(questions, []string{"2", "oslo"}),
		"Foxes": Score(questions, []string{"3", "Bergen"}),
	}
	for _, team := range Rank(scores) {
		fmt.Println(team, scores[team])
	}
}
