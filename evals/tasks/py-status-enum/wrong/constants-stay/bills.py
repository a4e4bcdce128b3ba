from enum import Enum


class Status(Enum):
    OPEN = "open"
    PAID = "paid"
    LATE = "late"


OPEN, PAID, LATE = Status


class Bill:
    def __init__(self, number, cents, due):
        self.number, self.cents, self.due = number, cents, due
        self.status = Status.OPEN

    def pay(self, cents):
        if self.status is Status.PAID:
            raise ValueError("paid already")
        if cents >= self.cents:
            self.status = Status.PAID

    def age(self, today):
        if self.status is Status.OPEN and today > self.due:
            self.status = Status.LATE
