"""Reports on plots of land."""

from geometry import area, perimeter


def total_area(plots):
    """Square metres of all plots, given as {name: corners}."""
    return sum(area(corners) for corners in plots.values())


def describe(name, corners):
    return f"{name}: {area(corners):.1f} m², fence {perimeter(corners):.1f} m"
