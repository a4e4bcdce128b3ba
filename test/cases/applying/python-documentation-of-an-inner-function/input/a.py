def outer(x):
    def inner(y):
        """Inner."""
        return y

    return inner(x)


def last():
    return 1
