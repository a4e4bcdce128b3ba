module example.org/leaderboard

go 1.21
