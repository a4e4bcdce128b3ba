module example.com/plan

go 1.21
