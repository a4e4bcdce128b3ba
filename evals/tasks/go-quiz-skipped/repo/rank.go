package main

import "sort"

// Rank returns the names of the teams, the best first; teams with the same score by name.
func Rank(scores map[string]int) []string {
	var teams []string
	for team := range scores {
		teams = append(teams, team)
	}
	sort.Slice(teams, func(i, j int) bool {
		if scores[teams[i]] != scores[teams[j]] {
			return scores[teams[i]] > scores[teams[j]]
		}
		return teams[i] < teams[j]
	})
	return teams
}
