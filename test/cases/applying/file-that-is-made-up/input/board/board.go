package board

import "sort"

func Rank(rows []Row) []Row {
	sort.Slice(rows, func(i, j int) bool { return rows[i].Points > rows[j].Points })
	for i := range rows {
		rows[i].Rank = i + 1
	}
	return rows
}

func Find(rows []Row, name string) int {
	return 0
}
