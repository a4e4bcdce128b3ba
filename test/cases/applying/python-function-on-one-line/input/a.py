@x
def f(a):
    """Doc."""
    return a


x = 1
