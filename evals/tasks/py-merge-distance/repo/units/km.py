KM_PER_MILE = 1.609344


def to_km(miles):
    return miles * KM_PER_MILE
