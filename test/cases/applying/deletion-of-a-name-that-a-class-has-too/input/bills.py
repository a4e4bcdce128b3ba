OPEN = "open"


def is_open(bill):
    return bill.status == OPEN
