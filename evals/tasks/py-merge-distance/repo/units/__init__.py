from units.km import KM_PER_MILE, to_km
from units.mi import to_miles

__all__ = ["KM_PER_MILE", "to_km", "to_miles"]
