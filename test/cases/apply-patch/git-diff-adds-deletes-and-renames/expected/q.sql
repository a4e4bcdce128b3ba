one
++ 2
