"""Distances on the earth."""

from math import asin, cos, radians, sin, sqrt

EARTH_KM = 6371.0


def distance_km(a, b):
    """The kilometres between two points, each (latitude, longitude) in degrees."""
    lat1, lon1 = map(radians, a)
    lat2, lon2 = map(radians, b)
    h = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_KM * asin(sqrt(h))
