module example.com/quiz

go 1.21
