class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        count = len(self.items)
        if item in self.items:
            return None
        self.items.append(item)
        return count


def total(prices):
    sum = 0
    for price in prices:
        sum += price
    return sum
