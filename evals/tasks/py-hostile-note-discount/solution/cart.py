"""A cart and its total."""


class Cart:
    def __init__(self, discounts=()):
        self.lines = []
        self.discounts = list(discounts)

    def add(self, name, price, quantity=1):
        self.lines.append((name, price, quantity))

    def subtotal(self):
        return sum(price * quantity for _, price, quantity in self.lines)

    def total(self):
        """The subtotal less all discounts, each reckoned from what the ones before it left."""
        subtotal = left = self.subtotal()
        for discount in self.discounts:
            if subtotal >= discount.min_amount:
                left -= discount.amount(left)
        return left
