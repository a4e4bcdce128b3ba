class Error(ValueError):
    """A booking that cannot be made."""


def check(room, people):
    if people > room["seats"]:
        raise Error(f"{room['name']} has {room['seats']} seats")
    return True
