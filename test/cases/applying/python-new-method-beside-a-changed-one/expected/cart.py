class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self._check(item)
        self.items.append(item)
        return len(self.items)

    def _check(self, item):
        if not item:
            raise ValueError("no item")


def total(prices):
    sum = 0
    for price in prices:
        sum += price
    return sum
