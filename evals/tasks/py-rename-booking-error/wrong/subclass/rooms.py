class BookingError(ValueError):
    """A booking that cannot be made."""


# Deprecated: the old name, for other packages.
class Error(BookingError):
    pass


def check(room, people):
    if people > room["seats"]:
        raise BookingError(f"{room['name']} has {room['seats']} seats")
    return True
