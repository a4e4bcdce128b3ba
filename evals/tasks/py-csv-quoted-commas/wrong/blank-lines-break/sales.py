"""Reads the export of the shop: a heading line, then product,quantity,price (price in euros)."""

import csv
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
    for row in csv.reader(text.splitlines()[1:]):
        if not row:
            continue
        product, quantity, price = row
        sales.append(Sale(product.strip(), int(quantity), Decimal(price)))
    return sales
