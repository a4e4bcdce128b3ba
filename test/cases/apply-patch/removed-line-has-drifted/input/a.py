one
    value = 1
two
