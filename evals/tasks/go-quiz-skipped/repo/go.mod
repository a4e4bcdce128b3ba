module quiz

go 1.18
