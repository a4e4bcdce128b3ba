"""Routes: lists of stops, each (name, point)."""

from geo import distance_km


def points(stops):
    return [point for _, point in stops]


def length(stops):
    """The kilometres of the whole route."""
    route = points(stops)
    return sum(distance_km(a, b) for a, b in zip(route, route[1:]))


def nearest(stops, point):
    """The name of the stop that is nearest to a point."""
    name, _ = min(stops, key=lambda stop: distance_km(stop[1], point))
    return name
