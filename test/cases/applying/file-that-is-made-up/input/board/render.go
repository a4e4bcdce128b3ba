package board

func Render(rows []Row) string {
	return ""
}
