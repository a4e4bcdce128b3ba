module example.com/lastlines

go 1.21
