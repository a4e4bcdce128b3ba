from rooms import Error, check


def failures(wishes):
    failed = 0
    for room, people in wishes:
        try:
            check(room, people)
        except (Error, KeyError):
            failed += 1
    return failed
