"""Reads the export of the shop: a heading line, then product,quantity,price (price in euros)."""

from decimal import Decimal


class Sale:
    def __init__(self, product, quantity, price):
        self.product = product
        self.quantity = quantity
        self.price = price

    @property
    def amount(self):
        return self.quantity * self.price


def parse_sales(text):
    """The sales of an export, in the order of its lines. Empty lines are skipped."""
    sales = []
    for line in text.splitlines()[1:]:
        if not line.strip():
            continue
        product, quantity, price = line.rsplit(",", 2)
        product = product.strip('"')
        sales.append(Sale(product.strip(), int(quantity), Decimal(price)))
    return sales
