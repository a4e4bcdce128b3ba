"""Bookings of meeting rooms. Times are minutes since midnight."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Booking:
    room: str
    start: int
    end: int
    title: str = ""


class Conflict(Exception):
    """Raised when a room is taken at the wanted time."""


def overlaps(a, b):
    """True when the two bookings need the same room at the same time."""
    if a.room != b.room:
        return False
    return a.start <= b.end and b.start <= a.end


class Calendar:
    def __init__(self):
        self._bookings = []

    def book(self, room, start, end, title=""):
        """Adds a booking. Raises Conflict when the room is taken."""
        if end <= start:
            raise ValueError("a meeting must end after it starts")
        new = Booking(room, start, end, title)
        for old in self._bookings:
            if overlaps(old, new):
                raise Conflict(f"{room} is taken from {old.start} to {old.end}")
        self._bookings.append(new)
        return new

    def cancel(self, booking):
        self._bookings.remove(booking)

    def of_room(self, room):
        """Bookings of one room, earliest first."""
        return sorted((b for b in self._bookings if b.room == room), key=lambda b: b.start)

    def free_slots(self, room, opens=480, closes=1080):
        """Gaps of a room between opening and closing time, as (start, end)."""
        slots = []
        at = opens
        for booking in self.of_room(room):
            if booking.start > at:
                slots.append((at, booking.start))
            at = max(at, booking.end)
        if at < closes:
            slots.append((at, closes))
        return slots
