"""Decides which vehicle goes to which lane."""


def best_lane(lanes, vehicle):
    """The lane with the least room that still takes the vehicle, or None."""
    fitting = [lane for lane in lanes if lane.fits(vehicle)]
    return min(fitting, key=lambda lane: (lane.room(), lane.number), default=None)


def load(lanes, vehicles):
    """Loads the vehicles, the longest first. Returns the plates of those left behind."""
    left = []
    for vehicle in sorted(vehicles, key=lambda each: -each.length):
        lane = best_lane(lanes, vehicle)
        if lane is None:
            left.append(vehicle.plate)
        else:
            lane.add(vehicle)
    return left


def report(lanes):
    """One line a lane: its vehicles and the room that is left."""
    lines = []
    for lane in lanes:
        plates = ", ".join(vehicle.plate for vehicle in lane.vehicles) or "empty"
        lines.append(f"lane {lane.number}: {plates} (room {lane.room():.1f} m)")
    return "\n".join(lines)
