"""Prices that are told on the phone."""

from decimal import Decimal

from money import round_cents, with_tax

FEE = Decimal("1.50")


def phone_price(amount, country):
    return round_cents(with_tax(amount, country) + FEE)
