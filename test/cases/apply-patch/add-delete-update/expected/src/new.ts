hello

world
