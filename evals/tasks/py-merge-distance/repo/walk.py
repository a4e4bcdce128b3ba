from units.km import to_km
from units.mi import pace


def walk(miles, minutes):
    km = to_km(miles)
    return f"{km:.2f} km, {pace(minutes, km):.2f} min/mi"
