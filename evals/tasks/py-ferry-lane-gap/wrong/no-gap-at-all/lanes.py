"""The lanes of a car deck. All lengths are in metres."""

GAP = 0.5


class Vehicle:
    def __init__(self, plate, length):
        if length <= 0:
            raise ValueError(f"bad length: {length}")
        self.plate = plate
        self.length = length


class Lane:
    def __init__(self, number, length):
        self.number = number
        self.length = length
        self.vehicles = []

    def used(self):
        """The length of all vehicles, with a gap behind each."""
        return sum(vehicle.length for vehicle in self.vehicles)

    def fits(self, vehicle):
        """Whether the lane can take one more vehicle."""
        return self.used() + vehicle.length <= self.length

    def room(self):
        """The length of the longest vehicle that still fits."""
        return max(0, self.length - self.used())

    def add(self, vehicle):
        if not self.fits(vehicle):
            raise ValueError(f"{vehicle.plate} does not fit in lane {self.number}")
        self.vehicles.append(vehicle)
