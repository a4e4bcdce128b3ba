module example.com/press

go 1.21
