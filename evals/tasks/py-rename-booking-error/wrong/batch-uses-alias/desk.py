import rooms


def book(room, people):
    try:
        rooms.check(room, people)
    except rooms.BookingError as problem:
        return f"Error: {problem}"
    return "ok"
