from enum import Enum

class Status(Enum):
    OPEN = "open"


def is_open(bill):
    return bill.status is Status.OPEN
