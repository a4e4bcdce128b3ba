"""Routes: lists of stops, each (name, point)."""

from geo import dist


def points(stops):
    return [point for _, point in stops]


def length(stops):
    """The kilometres of the whole route."""
    route = points(stops)
    return sum(dist(a, b) for a, b in zip(route, route[1:]))


def nearest(stops, point):
    """The name of the stop that is nearest to a point."""
    name, _ = min(stops, key=lambda stop: dist(stop[1], point))
    return name
