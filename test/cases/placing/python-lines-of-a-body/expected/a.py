def f(x):
    if x:
        y = x + 1
        return y
    return 0
