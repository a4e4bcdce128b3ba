"""The size classes of parcels: the longest, the middle and the shortest side in cm, and the price in cents."""

CLASSES = [
    ("S", (35, 25, 10), 399),
    ("M", (60, 30, 15), 549),
    ("L", (120, 60, 60), 999),
]


class TooBig(ValueError):
    pass


def size_class(sides):
    """The name and the price of the smallest class that the parcel fits into."""
    for name, limits, price in CLASSES:
        if all(side <= limit for side, limit in zip(sides, limits)):
            return name, price
    raise TooBig("too big: " + " x ".join(str(side) for side in sides))
