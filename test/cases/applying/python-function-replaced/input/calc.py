"""Sums."""
import os


@cached
def total(items):
    """Adds up."""
    return len(items)


class Box:
    def size(self):
        return 0


if __name__ == "__main__":
    print(total([1]))
