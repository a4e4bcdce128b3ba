one
    value = 1
two
    value = 1
three
