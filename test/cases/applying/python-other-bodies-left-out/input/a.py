def first(x):
    value = x + 1
    return value


def second(x):
    return x - 1
