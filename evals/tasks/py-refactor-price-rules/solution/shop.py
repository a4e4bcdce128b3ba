"""Prices in the shop: tax of Germany, then rounded to five cents, as we have no smaller coins."""

from decimal import ROUND_HALF_UP, Decimal

from money import round_cents, with_tax


def shop_price(amount):
    gross = round_cents(with_tax(amount, "DE"))
    return round_cents((gross / Decimal("0.05")).quantize(Decimal(1), rounding=ROUND_HALF_UP) * Decimal("0.05"))
