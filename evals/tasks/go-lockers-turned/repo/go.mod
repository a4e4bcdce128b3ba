module lockers

go 1.18
