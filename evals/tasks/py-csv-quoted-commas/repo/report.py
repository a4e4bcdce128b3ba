"""Totals by product, as a table."""

from collections import defaultdict
from decimal import Decimal

from sales import parse_sales


def totals(sales):
    result = defaultdict(Decimal)
    for sale in sales:
        result[sale.product] += sale.amount
    return dict(result)


def report(text):
    rows = totals(parse_sales(text))
    lines = [f"{product:<20}{amount:>10.2f}" for product, amount in sorted(rows.items())]
    lines.append(f"{'Total':<20}{sum(rows.values(), Decimal()):>10.2f}")
    return "\n".join(lines)
