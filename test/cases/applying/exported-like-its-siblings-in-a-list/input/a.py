__all__ = ["one"]


def one():
    return 1
