from units.distance import KM_PER_MILE, pace, to_km, to_miles

__all__ = ["KM_PER_MILE", "pace", "to_km", "to_miles"]
