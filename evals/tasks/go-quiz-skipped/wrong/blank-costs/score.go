package main

import "strings"

// Question is one question of a quiz.
type Question struct {
	Text     string
	Answer   string
	Points   int
	Practice bool
}

// penalty is what a wrong answer costs.
const penalty = 1

func normalize(answer string) string {
	return strings.ToLower(strings.TrimSpace(answer))
}

// Score returns the points for the answers, which are in the order of the questions.
func Score(questions []Question, answers []string) int {
	total := 0
	for i, question := range questions {
		if i >= len(answers) {
			break
		}
		answer := normalize(answers[i])
		if answer == normalize(question.Answer) {
			total += question.Points
		} else if answers[i] != "" && !question.Practice {
			total -= penalty
		}
	}
	if total < 0 {
		return 0
	}
	return total
}
