from units import pace, to_km


def walk(miles, minutes):
    km = to_km(miles)
    return f"{km:.2f} km, {pace(minutes, km):.2f} min/mi"
