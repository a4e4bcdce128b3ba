from rooms import BookingError, check


def failures(wishes):
    failed = 0
    for room, people in wishes:
        try:
            check(room, people)
        except (BookingError, KeyError):
            failed += 1
    return failed
