KM_PER_MILE = 1.609344


def to_km(miles):
    return miles * KM_PER_MILE


def to_miles(km):
    return km / KM_PER_MILE


def pace(minutes, km):
    """Minutes for a mile."""
    return minutes / to_miles(km)
