package a

const (
	Min = 1
	Max = 2
)
