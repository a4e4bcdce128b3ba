one = 1
added
two = 2
three = 3
