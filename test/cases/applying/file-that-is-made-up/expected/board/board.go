package board

import "sort"

func Rank(rows []Row) []Row {
	sort.Slice(rows, func(i, j int) bool { return rows[i].Points > rows[j].Points })
	for i := range rows {
		rows[i].Rank = rankOf(rows, i)
	}
	return rows
}

func rankOf(rows []Row, i int) int {
	for i > 0 && rows[i-1].Points == rows[i].Points {
		i--
	}
	return i + 1
}

func Find(rows []Row, name string) int {
	return -1
}
