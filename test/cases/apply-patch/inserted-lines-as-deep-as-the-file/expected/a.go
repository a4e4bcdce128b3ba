func f() {
	x := 1
	if x > 0 {
		x = 2
	}
	return x
}
