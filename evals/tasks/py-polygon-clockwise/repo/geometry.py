"""Areas and lengths of polygons given as lists of (x, y) corners in metres."""

import math


def signed_area(corners):
    """Area by the shoelace formula; positive when the corners go counter-clockwise."""
    total = 0.0
    for (x1, y1), (x2, y2) in zip(corners, corners[1:] + corners[:1]):
        total += x1 * y2 - x2 * y1
    return total / 2


def area(corners):
    """Area in square metres."""
    if len(corners) < 3:
        return 0.0
    return signed_area(corners)


def winding(corners):
    """'ccw', 'cw' or 'flat'."""
    value = signed_area(corners)
    if value == 0:
        return "flat"
    return "ccw" if value > 0 else "cw"


def perimeter(corners):
    return sum(math.dist(a, b) for a, b in zip(corners, corners[1:] + corners[:1]))
