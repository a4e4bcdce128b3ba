"""Prices in the shop."""

from decimal import Decimal

from money import round_cents, with_tax


def shop_price(amount):
    gross = round_cents(with_tax(amount, "DE"))
    return round_cents(round(gross / Decimal("0.05")) * Decimal("0.05"))
