OPEN = "open"
PAID = "paid"
LATE = "late"


class Bill:
    def __init__(self, number, cents, due):
        self.number, self.cents, self.due = number, cents, due
        self.status = OPEN

    def pay(self, cents):
        if self.status == PAID:
            raise ValueError("paid already")
        if cents >= self.cents:
            self.status = PAID

    def age(self, today):
        if self.status == OPEN and today > self.due:
            self.status = LATE
