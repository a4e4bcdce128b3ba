module example.com/updater

go 1.21
